#include <cstdio>
#include <vector>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<int> t(n);
    for (int &x : t) if (scanf("%d", &x) != 1) return 1;
    int records = 0;
    for (int i = 0; i < n; i++) {
        bool record = true;
        for (int j = 0; j < i; j++)
            if (t[j] >= t[i]) record = false;
        records += record;
    }
    printf("%d\n", records);
}
