#include <cstdio>
#include <vector>

int main() {
    const int top = 1000000;
    int n, k;
    if (scanf("%d %d", &n, &k) != 2) return 1;
    std::vector<int> count(top + 1);
    for (int i = 0, a; i < n; i++) {
        if (scanf("%d", &a) != 1) return 1;
        count[a]++;
    }
    for (int g = top; g >= 1; g--) {
        int suits = 0;
        for (int multiple = g; multiple <= top; multiple += g) suits += count[multiple];
        if (suits >= k) {
            printf("%d\n", g);
            return 0;
        }
    }
}
