#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int n, k, d, calm = 0;
    if (scanf("%d %d %d", &n, &k, &d) != 3) return 1;
    std::vector<int> a(n);
    for (int &x : a) if (scanf("%d", &x) != 1) return 1;
    for (int i = 0; i + k <= n; i++) {
        int low = *std::min_element(a.begin() + i, a.begin() + i + k);
        int high = *std::max_element(a.begin() + i, a.begin() + i + k);
        if (high - low <= d) calm++;
    }
    printf("%d\n", calm);
}
