// Right, but keeps partial sums in 32 bits.
#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    long long n, low, high;
    if (scanf("%lld %lld %lld", &n, &low, &high) != 3) return 1;
    std::vector<int> p(n + 1);
    for (int i = 1; i <= n; i++) {
        if (scanf("%d", &p[i]) != 1) return 1;
        p[i] += p[i - 1];
    }
    long long count = 0;
    for (int width = 1; width <= n; width *= 2)
        for (int start = 0; start + width <= n; start += 2 * width) {
            auto left = p.begin() + start, middle = left + width;
            auto end = p.begin() + std::min<long long>(n + 1, start + 2 * width);
            auto first = left, last = left;
            for (auto right = middle; right != end; ++right) {
                while (first != middle && *first < *right - high) ++first;
                while (last != middle && *last <= *right - low) ++last;
                count += last - first;
            }
            std::inplace_merge(left, middle, end);
        }
    printf("%lld\n", count);
}
