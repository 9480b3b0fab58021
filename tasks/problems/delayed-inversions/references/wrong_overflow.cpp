// Right, but counts in 32 bits.
#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int n, d, falls = 0;
    if (scanf("%d %d", &n, &d) != 2) return 1;
    std::vector<int> a(n);
    for (int &x : a) if (scanf("%d", &x) != 1) return 1;
    for (int width = 1; width < n; width *= 2)
        for (int start = 0; start + width < n; start += 2 * width) {
            auto middle = a.begin() + start + width, end = a.begin() + std::min(n, start + 2 * width);
            auto left = a.begin() + start;
            for (auto right = middle; right != end; ++right) {
                while (left != middle && *left <= *right + d) ++left;
                falls += middle - left;
            }
            std::inplace_merge(a.begin() + start, middle, end);
        }
    printf("%d\n", falls);
}
