#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int n, best = 0;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<int> a(n);
    for (int &x : a) if (scanf("%d", &x) != 1) return 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            best = std::max(best, a[i] ^ a[j]);
    printf("%d\n", best);
}
