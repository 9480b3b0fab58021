#include <cstdio>
#include <vector>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<int> h(n), next(n);
    for (int &x : h) if (scanf("%d", &x) != 1) return 1;
    long long total = 0;
    for (int i = n - 1; i >= 0; i--) {
        int j = i + 1;  // jump along the next positions that are at least as tall
        while (j < n && h[j] < h[i]) j = next[j];
        next[i] = j;
        total += (j < n ? j : n - 1) - i;
    }
    printf("%lld\n", total);
}
