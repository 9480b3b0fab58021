#include <cstdio>
#include <vector>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<bool> recorded(n + 2);
    for (int i = 0, x; i < n; i++) {
        if (scanf("%d", &x) != 1) return 1;
        if (1 <= x && x <= n) recorded[x] = true;
    }
    int ticket = 1;
    while (recorded[ticket]) ticket++;
    printf("%d\n", ticket);
}
