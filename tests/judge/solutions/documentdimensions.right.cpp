#include <algorithm>
#include <iostream>
#include <string>
#include <vector>
int main() {
    std::ios::sync_with_stdio(false);
    int n;
    std::cin >> n;
    std::vector<int> start(n), fits;
    int at = 0;
    size_t longest = 0;
    for (int i = 0; i < n; i++) {
        std::string word;
        std::cin >> word;
        longest = std::max(longest, word.size());
        start[i] = at;
        fits.resize(at + word.size(), i);
        at += word.size() + 1;
    }
    const int total = at - 1;
    fits.resize(total + 1, n);
    fits[total] = n;
    int best = 2 * total + 2;
    for (int width = longest; width <= total; width++) {
        int height = 0;
        for (int i = 0; i < n; height++) i = fits[std::min(total, start[i] + width)];
        best = std::min(best, width + height);
    }
    std::cout << best << "\n";
}
