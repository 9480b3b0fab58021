// Right, but compares crossings by products that leave 64 bits for large weights.
#include <cstdio>
#include <vector>

int main() {
    long long n, c;
    if (scanf("%lld %lld", &n, &c) != 2) return 1;
    std::vector<long long> slopes{0}, values{0};
    size_t first = 0;
    long long p = 0, cost = 0, w;
    for (int j = 0; j < n; j++) {
        if (scanf("%lld", &w) != 1) return 1;
        p += w;
        while (first + 1 < slopes.size() &&
               values[first + 1] - 2 * slopes[first + 1] * p <= values[first] - 2 * slopes[first] * p)
            first++;
        cost = c + p * p + values[first] - 2 * slopes[first] * p;
        long long value = cost + p * p;
        if (slopes.back() == p) {
            if (value >= values.back()) continue;
            slopes.pop_back();
            values.pop_back();
        }
        while (slopes.size() - first >= 2) {
            size_t k = slopes.size() - 1;
            long long left = (value - values[k - 1]) * (slopes[k] - slopes[k - 1]);
            long long right = (values[k] - values[k - 1]) * (p - slopes[k - 1]);
            if (left > right) break;
            slopes.pop_back();
            values.pop_back();
        }
        slopes.push_back(p);
        values.push_back(value);
        if (first >= slopes.size()) first = slopes.size() - 1;
    }
    printf("%lld\n", cost);
}
