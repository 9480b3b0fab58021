#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    long long n, m, a;
    if (scanf("%lld %lld", &n, &m) != 2) return 1;
    std::vector<std::pair<long long, int>> sums{{0, 0}};
    long long total = 0;
    for (int i = 1; i <= n; i++) {
        if (scanf("%lld", &a) != 1) return 1;
        total = ((total + a) % m + m) % m;
        sums.push_back({total, i});
    }
    std::sort(sums.begin(), sums.end());
    int best = 0, first = 0;
    for (auto &sum : sums) {
        if (sum.first != sums[first].first) first = &sum - &sums[0];
        best = std::max(best, sum.second - sums[first].second);
    }
    printf("%d\n", best);
}
