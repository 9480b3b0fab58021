#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

int main() {
    std::ios::sync_with_stdio(false);
    std::string s;
    std::cin >> s;
    int n = s.size();
    long long total = 0;
    for (int even = 0; even < 2; even++) {
        std::vector<int> count(n);  // palindromes around i (odd) or around i - 1 | i (even)
        for (int i = 0, left = 0, right = -1; i < n; i++) {
            int k = i > right ? 1 - even : std::min(count[left + right - i + even], right - i + 1);
            while (i + k < n && i - k - even >= 0 && s[i + k] == s[i - k - even]) k++;
            count[i] = k;
            if (i + k - 1 > right) left = i - k + 1 - even, right = i + k - 1;
            total += k;
        }
    }
    std::cout << total << "\n";
}
