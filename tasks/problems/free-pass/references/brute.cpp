#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

int main() {
    int n, m;
    if (scanf("%d %d", &n, &m) != 2) return 1;
    std::vector<std::array<int, 3>> roads(m);
    for (auto &r : roads) if (scanf("%d %d %d", &r[0], &r[1], &r[2]) != 3) return 1;
    const long long FAR = 1LL << 60;
    std::vector<long long> full(n + 1, FAR), used(n + 1, FAR);
    full[1] = used[1] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (auto [x, y, c] : roads)
            for (auto [a, b] : {std::pair(x, y), std::pair(y, x)}) {
                if (full[a] + c < full[b]) full[b] = full[a] + c, changed = true;
                long long price = std::min(full[a], used[a] + c);
                if (price < used[b]) used[b] = price, changed = true;
            }
    }
    long long best = std::min(full[n], used[n]);
    printf("%lld\n", best < FAR ? best : -1);
}
