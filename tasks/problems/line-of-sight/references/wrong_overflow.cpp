// Right, but sums in 32 bits.
#include <cstdio>
#include <vector>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<int> h(n), waiting;
    int total = 0;
    for (int i = 0; i < n; i++) {
        if (scanf("%d", &h[i]) != 1) return 1;
        while (!waiting.empty() && h[waiting.back()] <= h[i]) {
            total += i - waiting.back();
            waiting.pop_back();
        }
        waiting.push_back(i);
    }
    for (int i : waiting) total += n - 1 - i;
    printf("%d\n", total);
}
