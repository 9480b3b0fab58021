// expect: signaled 9
#include <signal.h>
#include <unistd.h>
int main(void) { kill(getpid(), SIGKILL); }
