#include <cstdio>
#include <vector>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<std::pair<long long, long long>> arrows(n);
    for (auto &a : arrows) if (scanf("%lld %lld", &a.first, &a.second) != 2) return 1;
    long long pairs = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (arrows[i].first * arrows[j].first + arrows[i].second * arrows[j].second == 0) pairs++;
    printf("%lld\n", pairs);
}
