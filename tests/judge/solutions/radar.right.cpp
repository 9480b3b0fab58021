#include <iostream>
typedef long long ll;
ll power(ll b, ll e, ll m) { ll r = 1; for (b %= m; e; e >>= 1, b = b * b % m) if (e & 1) r = r * b % m; return r; }
int main() {
    ll m[3], x[3], y[3], b[3];
    for (auto* row : {m, x, y}) for (int i = 0; i < 3; i++) std::cin >> row[i];
    const ll all = m[0] * m[1] * m[2];
    for (int i = 0; i < 3; i++) {
        ll rest = all / m[i];
        b[i] = ll((__int128)rest * power(rest % m[i], m[i] - 2, m[i]) % all);
        if (m[i] == 2) b[i] = rest;
    }
    auto term = [&](int i, ll t) { return ll((__int128)b[i] * ((x[i] + t) % m[i] + m[i]) % all); };
    ll best = all;
    for (ll s = -y[0]; s <= y[0]; s++) for (ll t = -y[1]; t <= y[1]; t++) {
        ll z = (term(0, s) + term(1, t)) % all;
        z = (z + term(2, -y[2])) % all;
        for (ll u = -y[2]; u <= y[2]; u++) {
            if (z < best) best = z;
            z += b[2];
            if (z >= all) z -= all;
        }
    }
    std::cout << best << "\n";
}
