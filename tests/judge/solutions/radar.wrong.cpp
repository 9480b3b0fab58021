#include <iostream>
int main() {
    long long p[3], m[3], x = 0;
    for (auto* row : {p, m}) for (int i = 0; i < 3; i++) std::cin >> row[i];
    while (x < 2000000000 && (x % p[0] != m[0] || x % p[1] != m[1])) x++;
    std::cout << x << "\n";
}
