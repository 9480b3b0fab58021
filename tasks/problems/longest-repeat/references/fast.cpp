#include <algorithm>
#include <array>
#include <iostream>
#include <string>
#include <vector>

int main() {
    // A suffix automaton: a state that is not a copy was made at the end of one prefix; its link
    // is the longest suffix of that prefix that has occurred before.
    std::string s;
    std::cin >> s;
    int n = s.size();
    std::vector<std::array<int, 26>> next(2 * n + 1);
    std::vector<int> length(2 * n + 1), link(2 * n + 1, -1);
    for (auto &row : next) row.fill(-1);
    int states = 1, last = 0, best = 0;
    for (char letter : s) {
        int c = letter - 'a', now = states++, p = last;
        length[now] = length[last] + 1;
        for (; p >= 0 && next[p][c] < 0; p = link[p]) next[p][c] = now;
        if (p < 0) {
            link[now] = 0;
        } else {
            int q = next[p][c];
            if (length[q] > length[p] + 1) {
                int copy = states++;
                length[copy] = length[p] + 1;
                next[copy] = next[q];
                link[copy] = link[q];
                for (; p >= 0 && next[p][c] == q; p = link[p]) next[p][c] = copy;
                link[q] = copy;
                q = copy;
            }
            link[now] = q;
            best = std::max(best, length[q]);
        }
        last = now;
    }
    std::cout << best << "\n";
}
