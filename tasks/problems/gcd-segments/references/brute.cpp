#include <cstdio>
#include <numeric>
#include <vector>

int main() {
    int n, g;
    if (scanf("%d %d", &n, &g) != 2) return 1;
    std::vector<int> a(n);
    for (int &x : a) if (scanf("%d", &x) != 1) return 1;
    long long count = 0;
    for (int i = 0; i < n; i++)
        for (int j = i, d = 0; j < n; j++) {
            d = std::gcd(d, a[j]);
            if (d == g) count++;
        }
    printf("%lld\n", count);
}
