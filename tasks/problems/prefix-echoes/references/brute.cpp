#include <iostream>
#include <string>

int main() {
    std::string s;
    std::cin >> s;
    long long total = 0;
    int n = s.size();
    for (int i = 1; i < n; i++)
        for (int e = 0; i + e < n && s[e] == s[i + e]; e++) total++;
    std::cout << total << "\n";
}
