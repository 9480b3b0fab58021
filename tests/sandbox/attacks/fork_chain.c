// expect: cpu_limit|idle_limit|exited 0
// Each process forks and dies at once, so that no list of processes is ever true.
#include <unistd.h>
int main(void) { for (;;) { if (fork() > 0) _exit(0); setsid(); } }
