#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int n, k, w;
    if (scanf("%d %d %d", &n, &k, &w) != 3) return 1;
    std::vector<int> ropes(n);
    for (int &r : ropes) if (scanf("%d", &r) != 1) return 1;
    int length = *std::max_element(ropes.begin(), ropes.end());
    for (; length > 0; length--) {
        long long pieces = 0;
        for (int r : ropes) pieces += (r + w) / (length + w);
        if (pieces >= k) break;
    }
    printf("%d\n", length);
}
