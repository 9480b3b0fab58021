// Right, but keeps costs in 32 bits.
#include <cstdio>
#include <vector>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<int> below(n + 1), cost(n + 1);
    for (int i = 1; i <= n; i++) if (scanf("%d", &below[i]) != 1) return 1;
    std::vector<std::vector<std::pair<int, int>>> near(n + 1);
    for (int i = 1, a, b, l; i < n; i++) {
        if (scanf("%d %d %d", &a, &b, &l) != 3) return 1;
        near[a].push_back({b, l});
        near[b].push_back({a, l});
    }
    std::vector<int> order{1}, parent(n + 1), road(n + 1);
    for (int i = 0; i < (int)order.size(); i++)
        for (auto [other, length] : near[order[i]])
            if (other != parent[order[i]]) {
                parent[other] = order[i];
                road[other] = length;
                order.push_back(other);
            }
    for (int i = n - 1; i > 0; i--) {
        below[parent[order[i]]] += below[order[i]];
        cost[1] += below[order[i]] * road[order[i]];
    }
    int best = 1;
    for (int i = 1; i < n; i++) {
        int town = order[i];
        cost[town] = cost[parent[town]] + (below[1] - 2 * below[town]) * road[town];
    }
    for (int town = 2; town <= n; town++)
        if (cost[town] < cost[best]) best = town;
    printf("%d %d\n", best, cost[best]);
}
