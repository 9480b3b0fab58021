#include <cstdio>

int main() {
    long long n, total = 0, x;
    if (scanf("%lld", &n) != 1) return 1;
    for (int i = 0; i < n; i++) {
        if (scanf("%lld", &x) != 1) return 1;
        total += x;
    }
    printf("%lld\n", (n - 1) * total);
}
