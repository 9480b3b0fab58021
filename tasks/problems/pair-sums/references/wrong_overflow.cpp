// Right, but multiplies in 32 bits.
#include <cstdio>

int main() {
    int n, total = 0, x;
    if (scanf("%d", &n) != 1) return 1;
    for (int i = 0; i < n; i++) {
        if (scanf("%d", &x) != 1) return 1;
        total += x;
    }
    printf("%d\n", (n - 1) * total);
}
