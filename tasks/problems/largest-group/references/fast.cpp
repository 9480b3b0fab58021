#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

int main() {
    int n, m, a, b;
    if (scanf("%d %d", &n, &m) != 2) return 1;
    std::vector<int> group(n + 1);
    std::vector<std::vector<int>> members(n + 1);
    for (int i = 1; i <= n; i++) {
        group[i] = i;
        members[i] = {i};
    }
    size_t largest = 1;
    long long total = 0;
    for (int i = 0; i < m; i++) {
        if (scanf("%d %d", &a, &b) != 2) return 1;
        a = group[a];
        b = group[b];
        if (a != b) {  // the smaller group moves into the larger one
            if (members[a].size() < members[b].size()) std::swap(a, b);
            for (int island : members[b]) {
                group[island] = a;
                members[a].push_back(island);
            }
            members[b].clear();
            largest = std::max(largest, members[a].size());
        }
        total += largest;
    }
    printf("%lld\n", total);
}
