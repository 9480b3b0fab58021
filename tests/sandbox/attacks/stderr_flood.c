// expect: exited 0
// stdout: done
// Much on stderr is cut, not punished.
#include <stdio.h>
int main(void) { for (int k = 0; k < 400000; k++) fputs("................................................\n", stderr); puts("done"); }
