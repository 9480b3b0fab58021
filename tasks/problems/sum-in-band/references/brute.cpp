#include <cstdio>
#include <vector>

int main() {
    long long n, low, high;
    if (scanf("%lld %lld %lld", &n, &low, &high) != 3) return 1;
    std::vector<long long> a(n);
    for (auto &x : a) if (scanf("%lld", &x) != 1) return 1;
    long long count = 0;
    for (int i = 0; i < n; i++) {
        long long total = 0;
        for (int j = i; j < n; j++) {
            total += a[j];
            if (low <= total && total <= high) count++;
        }
    }
    printf("%lld\n", count);
}
