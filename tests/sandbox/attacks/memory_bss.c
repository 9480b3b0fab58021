// expect: memory_limit
// A static array above the limit is no run-time error.
#include <string.h>
static char big[600u << 20];
int main(void) { memset(big, 1, sizeof big); return big[12345]; }
