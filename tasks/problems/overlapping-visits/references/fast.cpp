#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<std::pair<int, int>> events;  // second, +1 before -1 in the same second
    for (int i = 0, s, e; i < n; i++) {
        if (scanf("%d %d", &s, &e) != 2) return 1;
        events.push_back({s, 0});
        events.push_back({e, 1});
    }
    std::sort(events.begin(), events.end());
    int inside = 0, best = 0;
    for (auto &event : events) {
        inside += event.second == 0 ? 1 : -1;
        best = std::max(best, inside);
    }
    printf("%d\n", best);
}
