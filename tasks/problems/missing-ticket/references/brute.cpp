#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<int> recorded(n);
    for (int &x : recorded) if (scanf("%d", &x) != 1) return 1;
    int ticket = 1;
    while (std::find(recorded.begin(), recorded.end(), ticket) != recorded.end()) ticket++;
    printf("%d\n", ticket);
}
