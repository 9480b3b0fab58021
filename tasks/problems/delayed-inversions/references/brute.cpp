#include <cstdio>
#include <vector>

int main() {
    long long n, d;
    if (scanf("%lld %lld", &n, &d) != 2) return 1;
    std::vector<long long> a(n);
    for (auto &x : a) if (scanf("%lld", &x) != 1) return 1;
    long long falls = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++)
            if (a[i] > a[j] + d) falls++;
    printf("%lld\n", falls);
}
