#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

// A visitor's colours are the panels of the range whose colour was last seen before the range: a
// merge sort tree over the previous places of the colours.
int main() {
    int n, q;
    if (scanf("%d %d", &n, &q) != 2) return 1;
    int size = 1;
    while (size < n) size *= 2;
    std::vector<std::vector<int>> tree(2 * size);
    std::map<int, int> last;
    for (int i = 1, c; i <= n; i++) {
        if (scanf("%d", &c) != 1) return 1;
        tree[size + i - 1] = {last[c]};
        last[c] = i;
    }
    for (int k = size - 1; k > 0; k--) {
        tree[k].resize(tree[2 * k].size() + tree[2 * k + 1].size());
        std::merge(tree[2 * k].begin(), tree[2 * k].end(), tree[2 * k + 1].begin(),
                   tree[2 * k + 1].end(), tree[k].begin());
    }
    long long total = 0;
    for (int i = 0, l, r; i < q; i++) {
        if (scanf("%d %d", &l, &r) != 2) return 1;
        auto add = [&](int k) {
            total += std::lower_bound(tree[k].begin(), tree[k].end(), l) - tree[k].begin();
        };
        for (int a = l - 1 + size, b = r + size; a < b; a /= 2, b /= 2) {
            if (a & 1) add(a++);
            if (b & 1) add(--b);
        }
    }
    printf("%lld\n", total);
}
