#include <cstdio>
#include <vector>

int main() {
    int n, best = -1;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<int> a(n);
    for (int &x : a) if (scanf("%d", &x) != 1) return 1;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if (a[i] == a[j]) {
                if (best < 0 || j - i < best) best = j - i;
                break;
            }
    printf("%d\n", best);
}
