#include <cstdio>
#include <vector>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<long long> count(100001);
    for (int i = 0, s; i < n; i++) {
        if (scanf("%d", &s) != 1) return 1;
        count[s]++;
    }
    long long total = 0, stronger = 0;
    for (int s = 100000; s >= 0; s--) {
        total += s * (count[s] * stronger + count[s] * (count[s] - 1) / 2);
        stronger += count[s];
    }
    printf("%lld\n", total);
}
