#include <iostream>
int main() {
    long long p[3], m[3], e[3], x = 0;
    for (auto* row : {p, m, e}) for (int i = 0; i < 3; i++) std::cin >> row[i];
    for (int good = 0; good < 3;) {
        good = 0;
        for (int i = 0; i < 3; i++) {
            long long late = ((x - m[i] + e[i]) % p[i] + p[i]) % p[i];
            if (late <= 2 * e[i]) good++;
            else x += p[i] - late;
        }
    }
    std::cout << x << "\n";
}
