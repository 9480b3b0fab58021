#include <cstdio>
#include <unordered_set>
#include <vector>

int main() {
    int n, q;
    if (scanf("%d %d", &n, &q) != 2) return 1;
    std::vector<int> colours(n);
    for (int &c : colours) if (scanf("%d", &c) != 1) return 1;
    long long total = 0;
    for (int i = 0, l, r; i < q; i++) {
        if (scanf("%d %d", &l, &r) != 2) return 1;
        total += std::unordered_set<int>(colours.begin() + l - 1, colours.begin() + r).size();
    }
    printf("%lld\n", total);
}
