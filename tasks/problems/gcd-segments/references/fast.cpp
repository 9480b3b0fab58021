#include <cstdio>
#include <numeric>
#include <vector>

int main() {
    int n, g;
    if (scanf("%d %d", &n, &g) != 2) return 1;
    std::vector<std::pair<int, int>> ending;  // gcd, number of stretches; from long to short ones
    long long count = 0;
    for (int i = 0, x; i < n; i++) {
        if (scanf("%d", &x) != 1) return 1;
        ending.push_back({x, 1});
        std::vector<std::pair<int, int>> now;
        for (auto [d, times] : ending) {
            d = std::gcd(d, x);
            if (!now.empty() && now.back().first == d) now.back().second += times;
            else now.push_back({d, times});
        }
        for (auto [d, times] : now)
            if (d == g) count += times;
        ending = now;
    }
    printf("%lld\n", count);
}
