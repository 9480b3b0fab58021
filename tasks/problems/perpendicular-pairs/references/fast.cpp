#include <cstdio>
#include <map>
#include <numeric>

int main() {
    int n, x, y;
    if (scanf("%d", &n) != 1) return 1;
    std::map<std::pair<int, int>, int> seen;
    long long pairs = 0;
    auto reduced = [](int x, int y) {
        int g = std::gcd(x, y);
        if (x < 0 || (x == 0 && y < 0)) g = -g;
        return std::make_pair(x / g, y / g);
    };
    for (int i = 0; i < n; i++) {
        if (scanf("%d %d", &x, &y) != 2) return 1;
        auto it = seen.find(reduced(-y, x));
        if (it != seen.end()) pairs += it->second;
        seen[reduced(x, y)]++;
    }
    printf("%lld\n", pairs);
}
