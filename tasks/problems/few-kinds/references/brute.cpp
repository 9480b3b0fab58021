#include <cstdio>
#include <unordered_set>
#include <vector>

int main() {
    int n, k;
    if (scanf("%d %d", &n, &k) != 2) return 1;
    std::vector<int> a(n);
    for (int &x : a) if (scanf("%d", &x) != 1) return 1;
    long long runs = 0;
    for (int i = 0; i < n; i++) {
        std::unordered_set<int> kinds;
        for (int j = i; j < n; j++) {
            kinds.insert(a[j]);
            if ((int)kinds.size() > k) break;
            runs++;
        }
    }
    printf("%lld\n", runs);
}
