// expect: cpu_limit|idle_limit|exited 0
#include <pthread.h>
#include <unistd.h>
static void *spin(void *p) { for (;;) ; return p; }
int main(void) { pthread_t t; for (;;) if (pthread_create(&t, 0, spin, 0)) usleep(1000); }
