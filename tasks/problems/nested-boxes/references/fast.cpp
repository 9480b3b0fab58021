#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<std::pair<int, int>> boxes(n);
    for (auto &box : boxes) {
        if (scanf("%d %d", &box.first, &box.second) != 2) return 1;
        box.second = -box.second;
    }
    std::sort(boxes.begin(), boxes.end());
    std::vector<int> tails;
    for (auto &box : boxes) {
        auto it = std::lower_bound(tails.begin(), tails.end(), -box.second);
        if (it == tails.end()) tails.push_back(-box.second);
        else *it = -box.second;
    }
    printf("%zu\n", tails.size());
}
