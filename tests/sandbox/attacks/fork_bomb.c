// expect: cpu_limit|idle_limit|wall_limit|exited 0
// Every process forks for ever.
#include <unistd.h>
int main(void) { for (;;) fork(); }
