#include <algorithm>
#include <cstdio>
#include <set>
#include <vector>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<std::pair<long long, long long>> points(n);
    for (auto &p : points) if (scanf("%lld %lld", &p.first, &p.second) != 2) return 1;
    std::sort(points.begin(), points.end());
    unsigned long long best = ~0ULL;
    std::multiset<std::pair<long long, long long>> strip;  // by y: lights not too far to the left
    auto last = points.begin();
    auto square = [](long long d) { return (unsigned long long)(d * d); };
    for (auto &[x, y] : points) {
        while (square(x - last->first) >= best && last->first < x) {
            strip.erase(strip.find({last->second, last->first}));
            ++last;
        }
        auto here = strip.lower_bound({y, x});
        for (auto it = here; it != strip.end() && square(it->first - y) < best; ++it)
            best = std::min(best, square(it->first - y) + square(it->second - x));
        for (auto it = here; it != strip.begin() && square((--it)->first - y) < best;)
            best = std::min(best, square(it->first - y) + square(it->second - x));
        strip.insert({y, x});
    }
    printf("%llu\n", best);
}
