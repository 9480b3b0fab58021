#include <array>
#include <cstdio>
#include <vector>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<long long> people(n + 1);
    for (int i = 1; i <= n; i++) if (scanf("%lld", &people[i]) != 1) return 1;
    std::vector<std::vector<std::pair<int, int>>> near(n + 1);
    for (int i = 1, a, b, l; i < n; i++) {
        if (scanf("%d %d %d", &a, &b, &l) != 3) return 1;
        near[a].push_back({b, l});
        near[b].push_back({a, l});
    }
    int best = 0;
    long long best_cost = 0;
    for (int meeting = 1; meeting <= n; meeting++) {
        long long cost = 0;
        std::vector<std::array<int, 3>> todo{{meeting, 0, 0}};
        while (!todo.empty()) {
            auto [town, from, distance] = todo.back();
            todo.pop_back();
            cost += people[town] * distance;
            for (auto [other, length] : near[town])
                if (other != from) todo.push_back({other, town, distance + length});
        }
        if (best == 0 || cost < best_cost) best = meeting, best_cost = cost;
    }
    printf("%d %lld\n", best, best_cost);
}
