#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int n, k;
    if (scanf("%d %d", &n, &k) != 2) return 1;
    std::vector<double> a(n), p(n + 1);
    for (double &x : a) if (scanf("%lf", &x) != 1) return 1;
    double low = -100000, high = 100000;
    for (int round = 0; round < 60; round++) {  // is there a stretch with an average of middle?
        double middle = (low + high) / 2, lowest = 0;
        bool found = false;
        for (int i = 1; i <= n; i++) {
            p[i] = p[i - 1] + a[i - 1] - middle;
            if (i >= k) {
                lowest = std::min(lowest, p[i - k]);
                if (p[i] >= lowest) found = true;
            }
        }
        (found ? low : high) = middle;
    }
    printf("%.9f\n", low);
}
