// expect: signaled 6
#include <stdlib.h>
int main(void) { abort(); }
