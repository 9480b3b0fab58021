#include <cmath>
#include <cstdio>
#include <vector>
struct Line { long long a, b, c; };
int main() {
    int n;
    scanf("%d", &n);
    std::vector<Line> l(n);
    for (auto& s : l) {
        long long x, y, u, v;
        scanf("%lld %lld %lld %lld", &x, &y, &u, &v);
        s = {y - v, u - x, x * v - u * y};
    }
    double best = -1;
    auto meet = [](const Line& p, const Line& q, double& x, double& y) {
        double d = double(p.a * q.b - q.a * p.b);
        x = double((__int128)p.b * q.c - (__int128)q.b * p.c) / d;
        y = double((__int128)q.a * p.c - (__int128)p.a * q.c) / d;
    };
    for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) for (int k = 0; k < j; k++) {
        const Line &p = l[i], &q = l[j], &r = l[k];
        __int128 pq = p.a * q.b - q.a * p.b, qr = q.a * r.b - r.a * q.b, rp = r.a * p.b - p.a * r.b;
        if (!pq || !qr || !rp || qr * p.c + rp * q.c + pq * r.c == 0) continue;
        double x[3], y[3];
        meet(p, q, x[0], y[0]); meet(q, r, x[1], y[1]); meet(r, p, x[2], y[2]);
        double sum = 0;
        for (int t = 0; t < 3; t++) sum += std::hypot(x[t] - x[(t + 1) % 3], y[t] - y[(t + 1) % 3]);
        if (best < 0 || sum < best) best = sum;
    }
    if (best < 0) puts("no triangle"); else printf("%.9f\n", best);
}
