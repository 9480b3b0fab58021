#include <cstdio>
#include <set>
#include <vector>

int main() {
    int n, k, d, calm = 0;
    if (scanf("%d %d %d", &n, &k, &d) != 3) return 1;
    std::vector<int> a(n);
    std::multiset<int> window;
    for (int i = 0; i < n; i++) {
        if (scanf("%d", &a[i]) != 1) return 1;
        window.insert(a[i]);
        if (i >= k) window.erase(window.find(a[i - k]));
        if (i >= k - 1 && *window.rbegin() - *window.begin() <= d) calm++;
    }
    printf("%d\n", calm);
}
