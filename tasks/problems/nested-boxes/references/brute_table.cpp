// Right, but writes down for every pair whether one box fits into the other.
#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<std::pair<int, int>> boxes(n);
    for (auto &box : boxes) if (scanf("%d %d", &box.first, &box.second) != 2) return 1;
    std::sort(boxes.begin(), boxes.end());
    std::vector<std::vector<int>> inside(n);
    for (int i = 0; i < n; i++) {
        inside[i].assign(n, -1);
        for (int j = 0; j < i; j++)
            if (boxes[j].first < boxes[i].first && boxes[j].second < boxes[i].second)
                inside[i][j] = 1;
    }
    std::vector<int> chain(n, 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (inside[i][j] == 1) chain[i] = std::max(chain[i], chain[j] + 1);
    printf("%d\n", *std::max_element(chain.begin(), chain.end()));
}
