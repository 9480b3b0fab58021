// Right, but squares in 32 bits.
#include <algorithm>
#include <climits>
#include <cstdio>
#include <vector>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<std::pair<int, int>> points(n);
    for (auto &p : points) if (scanf("%d %d", &p.first, &p.second) != 2) return 1;
    std::sort(points.begin(), points.end());
    int best = INT_MAX;
    for (int i = 0; i < n; i++)
        for (int j = i - 1; j >= 0; j--) {
            int dx = points[i].first - points[j].first, dy = points[i].second - points[j].second;
            if (dx * dx >= best) break;
            best = std::min(best, dx * dx + dy * dy);
        }
    printf("%d\n", best);
}
