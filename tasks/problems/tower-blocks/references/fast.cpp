#include <cstdio>

int main() {
    int q;
    if (scanf("%d", &q) != 1) return 1;
    long long total = 0, h;
    for (int i = 0; i < q; i++) {
        if (scanf("%lld", &h) != 1) return 1;
        total += h * (h + 1) / 2;
    }
    printf("%lld\n", total);
}
