#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    long long n, low, high;
    if (scanf("%lld %lld %lld", &n, &low, &high) != 3) return 1;
    std::vector<long long> p(n + 1);
    for (int i = 1; i <= n; i++) {
        if (scanf("%lld", &p[i]) != 1) return 1;
        p[i] += p[i - 1];
    }
    std::vector<long long> values(p);
    std::sort(values.begin(), values.end());
    std::vector<int> tree(n + 2);
    auto seen = [&](int k) {
        int sum = 0;
        for (; k > 0; k -= k & -k) sum += tree[k];
        return sum;
    };
    long long count = 0;
    for (long long x : p) {
        count += seen(std::upper_bound(values.begin(), values.end(), x - low) - values.begin());
        count -= seen(std::lower_bound(values.begin(), values.end(), x - high) - values.begin());
        int rank = std::lower_bound(values.begin(), values.end(), x) - values.begin() + 1;
        for (int k = rank; k <= n + 1; k += k & -k) tree[k]++;
    }
    printf("%lld\n", count);
}
