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
    std::vector<long long> best(n);
    long long answer = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++)
            if (requests[j][0] <= requests[i][1]) best[i] = std::max(best[i], best[j]);
        best[i] += requests[i][2];
        answer = std::max(answer, best[i]);
    }
    printf("%lld\n", answer);
}
