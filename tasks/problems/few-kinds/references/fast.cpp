#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int n, k;
    if (scanf("%d %d", &n, &k) != 2) return 1;
    std::vector<int> a(n);
    for (int &x : a) if (scanf("%d", &x) != 1) return 1;
    std::vector<int> kinds(a);
    std::sort(kinds.begin(), kinds.end());
    for (int &x : a) x = std::lower_bound(kinds.begin(), kinds.end(), x) - kinds.begin();
    std::vector<int> count(n);
    long long runs = 0;
    for (int i = 0, start = 0, different = 0; i < n; i++) {
        different += count[a[i]]++ == 0;
        while (different > k) different -= --count[a[start++]] == 0;
        runs += i - start + 1;
    }
    printf("%lld\n", runs);
}
