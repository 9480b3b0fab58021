#include <algorithm>
#include <cstdio>
#include <functional>
#include <queue>
#include <vector>

const long long FAR = 1LL << 60;

std::vector<long long> prices(int start, const std::vector<std::vector<std::pair<int, int>>> &near) {
    std::vector<long long> price(near.size(), FAR);
    std::priority_queue<std::pair<long long, int>, std::vector<std::pair<long long, int>>, std::greater<>> heap;
    heap.push({price[start] = 0, start});
    while (!heap.empty()) {
        auto [paid, town] = heap.top();
        heap.pop();
        if (paid > price[town]) continue;
        for (auto [next, cost] : near[town])
            if (paid + cost < price[next]) heap.push({price[next] = paid + cost, next});
    }
    return price;
}

int main() {
    int n, m, a, b, c;
    if (scanf("%d %d", &n, &m) != 2) return 1;
    std::vector<std::vector<std::pair<int, int>>> near(n + 1);
    for (int i = 0; i < m; i++) {
        if (scanf("%d %d %d", &a, &b, &c) != 3) return 1;
        near[a].push_back({b, c});
        near[b].push_back({a, c});
    }
    auto from = prices(1, near), to = prices(n, near);
    long long best = from[n];
    for (int town = 1; town <= n; town++)
        for (auto [next, cost] : near[town]) best = std::min(best, from[town] + to[next]);
    printf("%lld\n", best < FAR ? best : -1);
}
