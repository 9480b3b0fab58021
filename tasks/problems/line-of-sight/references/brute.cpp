#include <cstdio>
#include <vector>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<int> h(n);
    for (int &x : h) if (scanf("%d", &x) != 1) return 1;
    long long total = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            total++;
            if (h[j] >= h[i]) break;
        }
    printf("%lld\n", total);
}
