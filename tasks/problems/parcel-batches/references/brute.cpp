#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    long long n, c;
    if (scanf("%lld %lld", &n, &c) != 2) return 1;
    std::vector<long long> p(n + 1), cost(n + 1, 1LL << 62);
    for (int i = 1; i <= n; i++) {
        if (scanf("%lld", &p[i]) != 1) return 1;
        p[i] += p[i - 1];
    }
    cost[0] = 0;
    for (int j = 1; j <= n; j++)
        for (int i = 0; i < j; i++)
            cost[j] = std::min(cost[j], cost[i] + (p[j] - p[i]) * (p[j] - p[i]) + c);
    printf("%lld\n", cost[n]);
}
