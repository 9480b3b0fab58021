#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<std::pair<int, int>> jobs(n);  // payment, deadline
    for (auto &job : jobs) if (scanf("%d %d", &job.second, &job.first) != 2) return 1;
    std::sort(jobs.rbegin(), jobs.rend());
    std::vector<int> planned;  // deadlines of the jobs that are taken, sorted
    long long total = 0;
    for (auto [payment, deadline] : jobs) {
        std::vector<int> tried(planned);
        tried.push_back(deadline);
        for (int i = (int)tried.size() - 1; i > 0 && tried[i - 1] > tried[i]; i--)
            std::swap(tried[i - 1], tried[i]);
        bool fits = true;
        for (int i = 0; i < (int)tried.size(); i++)
            if (tried[i] < i + 1) fits = false;
        if (fits) {
            planned = tried;
            total += payment;
        }
    }
    printf("%lld\n", total);
}
