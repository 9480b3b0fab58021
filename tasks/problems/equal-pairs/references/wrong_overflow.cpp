// Right, but counts in 32 bits.
#include <cstdio>
#include <map>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::map<int, int> seen;
    int pairs = 0;
    for (int i = 0, x; i < n; i++) {
        if (scanf("%d", &x) != 1) return 1;
        pairs += seen[x]++;
    }
    printf("%d\n", pairs);
}
