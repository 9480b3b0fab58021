#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int n, k;
    if (scanf("%d %d", &n, &k) != 2) return 1;
    std::vector<long long> sum(n + 1);
    for (int i = 0, t; i < n; i++) {
        if (scanf("%d", &t) != 1) return 1;
        sum[i + 1] = sum[i] + t;
    }
    long long best = sum[k];
    for (int i = k; i <= n; i++) best = std::max(best, sum[i] - sum[i - k]);
    printf("%lld\n", best);
}
