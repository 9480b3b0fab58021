#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

int main() {
    int n, k;
    if (scanf("%d %d", &n, &k) != 2) return 1;
    std::vector<int> scores(n);
    for (int &x : scores) if (scanf("%d", &x) != 1) return 1;
    long long total = 0;
    for (int day = 1; day <= n; day++) {
        std::vector<int> sorted(scores.begin(), scores.begin() + day);
        std::sort(sorted.begin(), sorted.end(), std::greater<int>());
        for (int i = 0; i < std::min(k, day); i++) total += sorted[i];
    }
    printf("%lld\n", total);
}
