#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<int> a(n);
    for (int &x : a) if (scanf("%d", &x) != 1) return 1;
    long long total = 0;
    for (int i = 0; i < n; i++) {
        int low = a[i], high = a[i];
        for (int j = i; j < n; j++) {
            low = std::min(low, a[j]);
            high = std::max(high, a[j]);
            total += high - low;
        }
    }
    printf("%lld\n", total);
}
