// Right, but sums in 32 bits.
#include <cstdio>

int main() {
    int q, k, total = 0;
    if (scanf("%d %d", &q, &k) != 2) return 1;
    for (int i = 0, a, b; i < q; i++) {
        if (scanf("%d %d", &a, &b) != 2) return 1;
        total += b / k - (a - 1) / k;
    }
    printf("%d\n", total);
}
