#include <cstdio>
#include <vector>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<int> a(n);
    for (int &x : a) if (scanf("%d", &x) != 1) return 1;
    long long stretches = 0;
    for (int i = 0; i < n; i++) {
        long long total = 0;
        for (int j = i; j < n; j++) {
            total += a[j];
            if (total == 0) stretches++;
        }
    }
    printf("%lld\n", stretches);
}
