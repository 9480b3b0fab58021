// Right, but multiplies the two side lengths in 32 bits first.
#include <cstdio>
#include <vector>

int n;

long long sum_of_maxima(const std::vector<int> &a) {
    std::vector<int> left(n), right(n, n), stack;
    for (int i = 0; i < n; i++) {
        while (!stack.empty() && a[stack.back()] < a[i]) {
            right[stack.back()] = i;
            stack.pop_back();
        }
        left[i] = stack.empty() ? -1 : stack.back();
        stack.push_back(i);
    }
    long long total = 0;
    for (int i = 0; i < n; i++) {
        int stretches = (i - left[i]) * (right[i] - i);
        total += (long long)a[i] * stretches;
    }
    return total;
}

int main() {
    if (scanf("%d", &n) != 1) return 1;
    std::vector<int> a(n);
    for (int &x : a) if (scanf("%d", &x) != 1) return 1;
    long long total = sum_of_maxima(a);
    for (int &x : a) x = -x;
    printf("%lld\n", total + sum_of_maxima(a));
}
