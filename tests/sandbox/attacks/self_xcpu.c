// expect: signaled 24
#include <signal.h>
int main(void) { raise(SIGXCPU); }
