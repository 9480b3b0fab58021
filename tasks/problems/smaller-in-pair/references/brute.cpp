#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<int> s(n);
    for (int &x : s) if (scanf("%d", &x) != 1) return 1;
    long long total = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            total += std::min(s[i], s[j]);
    printf("%lld\n", total);
}
