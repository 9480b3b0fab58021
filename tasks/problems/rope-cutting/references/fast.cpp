#include <cstdio>
#include <vector>

int main() {
    int n, k, w;
    if (scanf("%d %d %d", &n, &k, &w) != 3) return 1;
    std::vector<int> ropes(n);
    for (int &r : ropes) if (scanf("%d", &r) != 1) return 1;
    int low = 0, high = 1000000;
    while (low < high) {
        int length = (low + high + 1) / 2;
        long long pieces = 0;
        for (int r : ropes) pieces += (r + w) / (length + w);
        if (pieces >= k) low = length;
        else high = length - 1;
    }
    printf("%d\n", low);
}
