#include <iostream>
#include <string>

int main() {
    std::string s;
    std::cin >> s;
    int n = s.size();
    long long total = 0;
    for (int middle = 0; middle < 2 * n - 1; middle++)
        for (int i = middle / 2, j = (middle + 1) / 2; i >= 0 && j < n && s[i] == s[j]; i--, j++)
            total++;
    std::cout << total << "\n";
}
