#include <algorithm>
#include <iostream>
#include <string>

int main() {
    std::string s;
    std::cin >> s;
    int n = s.size(), best = 0;
    for (int shift = 1; shift < n; shift++)
        for (int i = 0, run = 0; i < n - shift; i++) {
            run = s[i] == s[i + shift] ? run + 1 : 0;
            best = std::max(best, run);
        }
    std::cout << best << "\n";
}
