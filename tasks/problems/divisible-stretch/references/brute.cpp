#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    long long n, m;
    if (scanf("%lld %lld", &n, &m) != 2) return 1;
    std::vector<long long> a(n);
    for (auto &x : a) if (scanf("%lld", &x) != 1) return 1;
    int best = 0;
    for (int i = 0; i < n; i++) {
        long long total = 0;
        for (int j = i; j < n; j++) {
            total += a[j];
            if (total % m == 0) best = std::max(best, j - i + 1);
        }
    }
    printf("%d\n", best);
}
