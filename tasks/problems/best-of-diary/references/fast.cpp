#include <cstdio>
#include <functional>
#include <queue>
#include <vector>

int main() {
    int n, k, score;
    if (scanf("%d %d", &n, &k) != 2) return 1;
    std::priority_queue<int, std::vector<int>, std::greater<int>> best;
    long long mood = 0, total = 0;
    for (int i = 0; i < n; i++) {
        if (scanf("%d", &score) != 1) return 1;
        best.push(score);
        mood += score;
        if ((int)best.size() > k) {
            mood -= best.top();
            best.pop();
        }
        total += mood;
    }
    printf("%lld\n", total);
}
