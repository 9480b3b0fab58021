#include <iostream>
#include <string>
#include <vector>

int main() {
    // fail[i]: longest border of the first i letters; the echoes that end at each place add up.
    std::ios::sync_with_stdio(false);
    std::string s;
    std::cin >> s;
    int n = s.size();
    std::vector<int> fail(n + 1), depth(n + 1);
    long long total = 0;
    for (int i = 1, k = 0; i < n; i++) {
        while (k > 0 && s[i] != s[k]) k = fail[k];
        if (s[i] == s[k]) k++;
        fail[i + 1] = k;
        // every prefix that ends at i, other than the whole, adds one letter to one echo
        depth[i + 1] = k > 0 ? depth[k] + 1 : 0;
        total += depth[i + 1];
    }
    std::cout << total << "\n";
}
