// expect: signaled 8
int main(void) { volatile int zero = 0, one = 1; return one / zero; }
