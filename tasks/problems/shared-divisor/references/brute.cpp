#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int n, k;
    if (scanf("%d %d", &n, &k) != 2) return 1;
    std::vector<int> lengths(n);
    for (int &x : lengths) if (scanf("%d", &x) != 1) return 1;
    for (int g = *std::max_element(lengths.begin(), lengths.end());; g--) {
        int suits = 0;
        for (int length : lengths) suits += length % g == 0;
        if (suits >= k) {
            printf("%d\n", g);
            return 0;
        }
    }
}
