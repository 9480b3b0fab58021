#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int n, best = 0;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<int> zero{0}, one{0};  // children in a trie of the bits, 0 where there is none
    auto child = [&](int node, int bit) -> int & { return bit ? one[node] : zero[node]; };
    for (int i = 0, code; i < n; i++) {
        if (scanf("%d", &code) != 1) return 1;
        for (int bit = 29, node = 0; bit >= 0; bit--) {
            if (!child(node, code >> bit & 1)) {
                child(node, code >> bit & 1) = zero.size();
                zero.push_back(0);
                one.push_back(0);
            }
            node = child(node, code >> bit & 1);
        }
        int loudness = 0;
        for (int bit = 29, node = 0; bit >= 0; bit--) {
            int wanted = ~code >> bit & 1;
            if (child(node, wanted)) loudness |= 1 << bit;
            else wanted = !wanted;
            node = child(node, wanted);
        }
        best = std::max(best, loudness);
    }
    printf("%d\n", best);
}
