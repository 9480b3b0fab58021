#include <cstdio>

int main() {
    int n, t, best = 0, records = 0;
    if (scanf("%d", &n) != 1) return 1;
    for (int i = 0; i < n; i++) {
        if (scanf("%d", &t) != 1) return 1;
        if (i == 0 || t > best) {
            best = t;
            records++;
        }
    }
    printf("%d\n", records);
}
