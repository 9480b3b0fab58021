// Right sums, but the answer is counted in 32 bits.
#include <cstdio>
#include <map>

int main() {
    int n, stretches = 0;
    if (scanf("%d", &n) != 1) return 1;
    std::map<long long, int> seen;
    seen[0] = 1;
    long long total = 0;
    for (int i = 0, a; i < n; i++) {
        if (scanf("%d", &a) != 1) return 1;
        total += a;
        stretches += seen[total]++;
    }
    printf("%d\n", stretches);
}
