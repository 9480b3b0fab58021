// Sums in 64 bits, but each tower in 32.
#include <cstdio>

int main() {
    int q;
    if (scanf("%d", &q) != 1) return 1;
    long long total = 0;
    for (int i = 0, h; i < q; i++) {
        if (scanf("%d", &h) != 1) return 1;
        total += h * (h + 1) / 2;
    }
    printf("%lld\n", total);
}
