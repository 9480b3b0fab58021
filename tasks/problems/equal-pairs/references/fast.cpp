#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<int> a(n);
    for (int &x : a) if (scanf("%d", &x) != 1) return 1;
    std::sort(a.begin(), a.end());
    long long pairs = 0, run = 0;
    for (int i = 1; i < n; i++) {
        run = a[i] == a[i - 1] ? run + 1 : 0;
        pairs += run;
    }
    printf("%lld\n", pairs);
}
