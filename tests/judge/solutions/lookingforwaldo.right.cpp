#include <iostream>
#include <string>
#include <vector>
int main() {
    int h, w;
    std::cin >> h >> w;
    std::vector<std::string> g(h);
    for (auto& row : g) std::cin >> row;
    if (h > w) {
        std::vector<std::string> t(w, std::string(h, ' '));
        for (int i = 0; i < h; i++) for (int j = 0; j < w; j++) t[j][i] = g[i][j];
        g = t;
        std::swap(h, w);
    }
    const std::string letters = "WALDO";
    std::vector<std::vector<int>> mask(h, std::vector<int>(w));
    for (int i = 0; i < h; i++) for (int j = 0; j < w; j++) {
        auto k = letters.find(g[i][j]);
        if (k != std::string::npos) mask[i][j] = 1 << k;
    }
    long long best = -1;
    for (int top = 0; top < h; top++) {
        std::vector<int> all(w);
        for (int bottom = top; bottom < h; bottom++) {
            int count[5] = {}, have = 0, left = 0;
            for (int j = 0; j < w; j++) all[j] |= mask[bottom][j];
            for (int j = 0; j < w; j++) {
                if (all[j]) for (int k = 0; k < 5; k++) if (all[j] >> k & 1) have += !count[k]++;
                while (have == 5) {
                    long long area = 1LL * (bottom - top + 1) * (j - left + 1);
                    if (best < 0 || area < best) best = area;
                    if (all[left]) for (int k = 0; k < 5; k++) if (all[left] >> k & 1) have -= !--count[k];
                    left++;
                }
            }
        }
    }
    if (best < 0) std::cout << "impossible\n"; else std::cout << best << "\n";
}
