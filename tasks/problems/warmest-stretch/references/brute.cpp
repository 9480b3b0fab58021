#include <algorithm>
#include <climits>
#include <cstdio>
#include <vector>

int main() {
    int n, k;
    if (scanf("%d %d", &n, &k) != 2) return 1;
    std::vector<int> t(n);
    for (int &x : t) if (scanf("%d", &x) != 1) return 1;
    long long best = LLONG_MIN;
    for (int i = 0; i + k <= n; i++) {
        long long sum = 0;
        for (int j = i; j < i + k; j++) sum += t[j];
        best = std::max(best, sum);
    }
    printf("%lld\n", best);
}
