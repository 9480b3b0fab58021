// expect: signaled 15
#include <signal.h>
int main(void) { raise(SIGTERM); }
