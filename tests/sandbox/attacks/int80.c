// expect: signaled 31
// 32-bit calls have other numbers; the program dies on the first.
#include <stdio.h>
int main(void) { long r; __asm__ volatile("int $0x80" : "=a"(r) : "a"(20)); printf("ALLOWED %ld\n", r); }
