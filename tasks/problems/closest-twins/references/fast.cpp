#include <cstdio>
#include <unordered_map>

int main() {
    int n, best = -1;
    if (scanf("%d", &n) != 1) return 1;
    std::unordered_map<int, int> last;
    for (int i = 0, x; i < n; i++) {
        if (scanf("%d", &x) != 1) return 1;
        auto it = last.find(x);
        if (it != last.end() && (best < 0 || i - it->second < best)) best = i - it->second;
        last[x] = i;
    }
    printf("%d\n", best);
}
