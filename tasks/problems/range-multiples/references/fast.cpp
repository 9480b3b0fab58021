#include <cstdio>

int main() {
    int q, k;
    if (scanf("%d %d", &q, &k) != 2) return 1;
    long long total = 0;
    for (int i = 0, a, b; i < q; i++) {
        if (scanf("%d %d", &a, &b) != 2) return 1;
        total += b / k - (a - 1) / k;
    }
    printf("%lld\n", total);
}
