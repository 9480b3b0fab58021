#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

// Offline: when two groups join, the customers of the smaller group are looked through.
int main() {
    int n, m, q;
    if (scanf("%d %d %d", &n, &m, &q) != 3) return 1;
    std::vector<std::array<int, 3>> roads(m);
    for (auto &r : roads) if (scanf("%d %d %d", &r[1], &r[2], &r[0]) != 3) return 1;
    std::sort(roads.rbegin(), roads.rend());
    std::vector<int> group(n + 1);
    std::vector<std::vector<int>> members(n + 1), asking(n + 1);
    for (int i = 1; i <= n; i++) {
        group[i] = i;
        members[i] = {i};
    }
    std::vector<int> from(q), to(q);
    std::vector<bool> done(q);
    for (int j = 0; j < q; j++) {
        if (scanf("%d %d", &from[j], &to[j]) != 2) return 1;
        asking[from[j]].push_back(j);
        asking[to[j]].push_back(j);
    }
    long long total = 0;
    for (auto [w, a, b] : roads) {
        a = group[a];
        b = group[b];
        if (a == b) continue;
        if (members[a].size() < members[b].size()) std::swap(a, b);
        for (int town : members[b])
            for (int j : asking[town])
                if (!done[j] && group[town == from[j] ? to[j] : from[j]] == a) {
                    done[j] = true;
                    total += w;
                }
        for (int town : members[b]) {
            group[town] = a;
            members[a].push_back(town);
        }
        members[b].clear();
    }
    printf("%lld\n", total);
}
