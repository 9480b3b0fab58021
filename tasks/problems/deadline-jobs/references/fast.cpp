#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<std::pair<int, int>> jobs(n);  // payment, deadline
    for (auto &job : jobs) {
        if (scanf("%d %d", &job.second, &job.first) != 2) return 1;
        job.second = std::min(job.second, n);
    }
    std::sort(jobs.rbegin(), jobs.rend());
    std::vector<int> free_day(n + 1);  // the latest free day up to each day; 0: none
    std::iota(free_day.begin(), free_day.end(), 0);
    long long total = 0;
    for (auto [payment, deadline] : jobs) {
        int day = deadline;
        while (free_day[day] != day) day = free_day[day] = free_day[free_day[day]];
        if (day == 0) continue;
        total += payment;
        free_day[day] = day - 1;
    }
    printf("%lld\n", total);
}
