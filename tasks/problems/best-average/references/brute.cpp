#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int n, k;
    if (scanf("%d %d", &n, &k) != 2) return 1;
    std::vector<long long> p(n + 1);
    for (int i = 1; i <= n; i++) {
        if (scanf("%lld", &p[i]) != 1) return 1;
        p[i] += p[i - 1];
    }
    double best = -1e18;
    for (int i = 0; i + k <= n; i++)
        for (int j = i + k; j <= n; j++) best = std::max(best, double(p[j] - p[i]) / (j - i));
    printf("%.9f\n", best);
}
