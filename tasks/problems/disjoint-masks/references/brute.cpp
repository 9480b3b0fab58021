#include <cstdio>
#include <vector>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<int> a(n);
    for (int &x : a) if (scanf("%d", &x) != 1) return 1;
    long long pairs = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if ((a[i] & a[j]) == 0) pairs++;
    printf("%lld\n", pairs);
}
