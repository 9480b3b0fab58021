#include <cstdio>
#include <vector>

int main() {
    const int full = (1 << 17) - 1;
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<long long> count(full + 1);
    for (int i = 0, a; i < n; i++) {
        if (scanf("%d", &a) != 1) return 1;
        count[a]++;
    }
    std::vector<long long> inside(count);
    for (int bit = 0; bit < 17; bit++)
        for (int mask = 0; mask <= full; mask++)
            if (mask >> bit & 1) inside[mask] += inside[mask ^ (1 << bit)];
    long long ordered = 0;
    for (int mask = 0; mask <= full; mask++) ordered += count[mask] * inside[full ^ mask];
    printf("%lld\n", (ordered - count[0]) / 2);
}
