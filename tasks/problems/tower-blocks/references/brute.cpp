#include <cstdio>

int main() {
    int q;
    if (scanf("%d", &q) != 1) return 1;
    long long total = 0;
    for (int i = 0, h; i < q; i++) {
        if (scanf("%d", &h) != 1) return 1;
        for (int row = 1; row <= h; row++) total += row;
    }
    printf("%lld\n", total);
}
