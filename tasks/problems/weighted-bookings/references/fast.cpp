#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<std::array<int, 3>> requests(n);
    for (auto &r : requests) if (scanf("%d %d %d", &r[1], &r[0], &r[2]) != 3) return 1;
    std::sort(requests.begin(), requests.end());
    std::vector<long long> best(n + 1);
    for (int i = 0; i < n; i++) {
        int k = std::upper_bound(requests.begin(), requests.begin() + i, requests[i][1],
                                 [](int start, auto &r) { return start < r[0]; }) - requests.begin();
        best[i + 1] = std::max(best[i], best[k] + requests[i][2]);
    }
    printf("%lld\n", best[n]);
}
