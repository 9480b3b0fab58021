#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    long long n, d;
    if (scanf("%lld %lld", &n, &d) != 2) return 1;
    std::vector<long long> a(n);
    for (auto &x : a) if (scanf("%lld", &x) != 1) return 1;
    std::vector<long long> values(a);
    std::sort(values.begin(), values.end());
    std::vector<int> tree(n + 1);
    long long falls = 0;
    for (int j = 0; j < n; j++) {
        int not_more = std::upper_bound(values.begin(), values.end(), a[j] + d) - values.begin();
        falls += j;
        for (int k = not_more; k > 0; k -= k & -k) falls -= tree[k];
        int rank = std::lower_bound(values.begin(), values.end(), a[j]) - values.begin() + 1;
        for (int k = rank; k <= n; k += k & -k) tree[k]++;
    }
    printf("%lld\n", falls);
}
