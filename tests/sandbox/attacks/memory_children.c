// expect: memory_limit
// No single process is above the limit; together they are.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    for (int k = 0; k < 16; k++)
        if (fork() == 0) {
            volatile char *p = malloc(32 << 20);
            for (int at = 0; at < 32 << 20; at += 4096) p[at] = 1;
            sleep(5);
            _exit(0);
        }
    while (wait(0) > 0) ;
}
