#include <cstdio>
#include <vector>

// Right, but squares the weight of a batch in 32 bits.
// The best last split moves to the right with j, so each split is best for one range of j.
int n;
long long c;
std::vector<long long> p, cost;

long long with(int i, int j) {
    int weight = p[j] - p[i];
    return cost[i] + weight * weight + c;
}

int main() {
    if (scanf("%d %lld", &n, &c) != 2) return 1;
    p.resize(n + 1);
    cost.resize(n + 1);
    for (int i = 1; i <= n; i++) {
        if (scanf("%lld", &p[i]) != 1) return 1;
        p[i] += p[i - 1];
    }
    std::vector<int> split{0}, from{1};  // from from[k] on, split[k] is better than those before it
    size_t k = 0;
    for (int j = 1; j <= n; j++) {
        while (k + 1 < split.size() && from[k + 1] <= j) k++;
        cost[j] = with(split[k], j);
        int start = n + 1;
        while (split.size() > k) {
            int low = j + 1, high = n + 1, last = split.back();  // where j beats the last split
            while (low < high) {
                int middle = (low + high) / 2;
                if (with(j, middle) <= with(last, middle)) high = middle;
                else low = middle + 1;
            }
            start = low;
            if (start > from.back() || split.size() == k + 1) break;
            split.pop_back();
            from.pop_back();
        }
        if (start <= n) {
            split.push_back(j);
            from.push_back(start);
        }
    }
    printf("%lld\n", cost[n]);
}
