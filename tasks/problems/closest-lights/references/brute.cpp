#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<std::pair<long long, long long>> points(n);
    for (auto &p : points) if (scanf("%lld %lld", &p.first, &p.second) != 2) return 1;
    unsigned long long best = ~0ULL;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            long long dx = points[i].first - points[j].first, dy = points[i].second - points[j].second;
            best = std::min<unsigned long long>(best, dx * dx + dy * dy);
        }
    printf("%llu\n", best);
}
