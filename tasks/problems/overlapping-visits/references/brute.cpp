#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<std::pair<int, int>> visits(n);
    for (auto &visit : visits) if (scanf("%d %d", &visit.first, &visit.second) != 2) return 1;
    int best = 0;
    for (auto &now : visits) {
        int inside = 0;
        for (auto &visit : visits)
            if (visit.first <= now.first && now.first <= visit.second) inside++;
        best = std::max(best, inside);
    }
    printf("%d\n", best);
}
