#include <algorithm>
#include <cstdio>
#include <queue>
#include <vector>

int main() {
    int n, m, q, a, b, w;
    if (scanf("%d %d %d", &n, &m, &q) != 3) return 1;
    std::vector<std::vector<std::pair<int, int>>> near(n + 1);
    for (int i = 0; i < m; i++) {
        if (scanf("%d %d %d", &a, &b, &w) != 3) return 1;
        near[a].push_back({b, w});
        near[b].push_back({a, w});
    }
    long long total = 0;
    while (q-- > 0) {
        if (scanf("%d %d", &a, &b) != 2) return 1;
        std::vector<bool> reached(n + 1);
        std::priority_queue<std::pair<int, int>> heap;
        heap.push({2000000000, a});
        while (!heap.empty()) {
            auto [weight, town] = heap.top();
            heap.pop();
            if (town == b) {
                total += weight;
                break;
            }
            if (reached[town]) continue;
            reached[town] = true;
            for (auto [other, carries] : near[town])
                if (!reached[other]) heap.push({std::min(weight, carries), other});
        }
    }
    printf("%lld\n", total);
}
