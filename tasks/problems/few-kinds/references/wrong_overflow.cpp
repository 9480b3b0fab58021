// Right, but counts in 32 bits.
#include <cstdio>
#include <unordered_map>
#include <vector>

int main() {
    int n, k, runs = 0, start = 0;
    if (scanf("%d %d", &n, &k) != 2) return 1;
    std::vector<int> a(n);
    std::unordered_map<int, int> count;
    for (int i = 0; i < n; i++) {
        if (scanf("%d", &a[i]) != 1) return 1;
        count[a[i]]++;
        while ((int)count.size() > k) {
            if (--count[a[start]] == 0) count.erase(a[start]);
            start++;
        }
        runs += i - start + 1;
    }
    printf("%d\n", runs);
}
