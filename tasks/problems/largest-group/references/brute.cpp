#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int n, m, a, b;
    if (scanf("%d %d", &n, &m) != 2) return 1;
    std::vector<std::vector<int>> near(n + 1);
    int largest = 1;
    long long total = 0;
    for (int i = 0; i < m; i++) {
        if (scanf("%d %d", &a, &b) != 2) return 1;
        near[a].push_back(b);
        near[b].push_back(a);
        std::vector<bool> seen(n + 1);
        std::vector<int> todo{a};
        seen[a] = true;
        int size = 0;
        while (!todo.empty()) {
            int now = todo.back();
            todo.pop_back();
            size++;
            for (int island : near[now])
                if (!seen[island]) {
                    seen[island] = true;
                    todo.push_back(island);
                }
        }
        largest = std::max(largest, size);
        total += largest;
    }
    printf("%lld\n", total);
}
