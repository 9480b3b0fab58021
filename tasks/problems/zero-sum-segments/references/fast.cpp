#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<long long> sum(n + 1);
    for (int i = 0, a; i < n; i++) {
        if (scanf("%d", &a) != 1) return 1;
        sum[i + 1] = sum[i] + a;
    }
    std::sort(sum.begin(), sum.end());
    long long stretches = 0, run = 0;
    for (int i = 1; i <= n; i++) {
        run = sum[i] == sum[i - 1] ? run + 1 : 0;
        stretches += run;
    }
    printf("%lld\n", stretches);
}
