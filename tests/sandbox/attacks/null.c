// expect: signaled 11
int main(void) { return *(volatile int *)0; }
