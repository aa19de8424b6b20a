// Diagnosis: what the true gradient was multiplied by, a constant or something of the call entry by entry.
#include <algorithm>
#include <limits>

#include "gradproof/core/check/gradient_diagnoser.hpp"

namespace gradproof::check {
std::vector<Factor> factors(const std::vector<NamedNumber>& constants) {
    std::vector<Factor> out{{"2", "1/2", 2}, {"1/2", "2", 0.5}};
    const auto add = [&](const std::string& name, double v) {
        const std::string over = name.find(' ') == std::string::npos ? "1/" + name : "1/(" + name + ")";
        out.push_back({name, over, v});
        out.push_back({over, name, 1 / v});
    };
    for (const NamedNumber& c : constants) {
        if (!std::isfinite(c.value) || c.value == 0 || std::abs(c.value) == 1) continue;
        add(c.name, c.value);
        if (c.value > 0) add("sqrt(" + c.name + ")", std::sqrt(c.value));
    }
    for (const NamedNumber& c : constants) {
        if (!std::isfinite(c.value) || c.value != std::floor(c.value) || c.value < 3) continue;
        const std::string less = "(" + c.name + " - 1)";
        add(less, c.value - 1);
        out.push_back({c.name + "/" + less, less + "/" + c.name, c.value / (c.value - 1)});
        out.push_back({less + "/" + c.name, c.name + "/" + less, (c.value - 1) / c.value});
    }
    for (int n = 3; n <= 16; ++n) add(std::to_string(n), n);
    const auto tensor = [](const NamedNumber& c) { return c.name.substr(0, c.name.find(".shape")); };
    for (const NamedNumber& a : constants)  // a count over the wrong axis
        for (const NamedNumber& b : constants)
            if (a.value > 1 && b.value > 1 && a.value != b.value && tensor(a) != a.name && tensor(a) == tensor(b))
                out.push_back({a.name + "/" + b.name, b.name + "/" + a.name, a.value / b.value});
    return out;
}

void not_finite(Search& s) {
    Index off = 0;
    bool at_zero = true;
    for (Index k = 0; k < s.claimed.size(); ++k) {
        if (!s.known(k) || std::isfinite(s.claimed[k])) continue;
        ++off;
        at_zero = at_zero && s.e.x[static_cast<std::size_t>(s.input)][k] == 0;
    }
    if (off > 0)
        s.say(fmt::format("claimed is not finite at {} of {} entries{}", off, s.claimed.size(),
                          at_zero ? ", those where the input is 0" : ""),
              "guard the division or logarithm there");
}

void zero(Search& s) {
    if (s.claims([](Index) { return 0.0; }))
        s.say("claimed is zero everywhere", s.e.names.empty() ? "" : fmt::format("hand back {}: nothing arrives", s.here));
}

void mean_for_sum(Search& s) {
    if (!s.e.y.defined() || !broadcasts_to(s.truth.shape(), s.e.y.shape()) || s.truth.size() == s.e.y.size()) return;
    const double n = static_cast<double>(s.e.y.size() / s.truth.size());
    if (s.claims([&](Index k) { return s.truth[k] / n; }))
        s.say(fmt::format("it is the mean over the axes along which {} is broadcast, not the sum", s.name()),
              fmt::format("sum {} over them", s.here));
}

void negated(Search& s) {
    if (s.claims([&](Index k) { return -s.truth[k]; }))
        s.say("the sign is wrong: claimed = -true", fmt::format("negate {}", s.here));
}

void constant_factor(Search& s) {
    for (const Factor& f : factors(s.e.constants))
        for (const char* minus : {"", "-"})
            if (s.claims([&, by = *minus == '-' ? -f.value : f.value](Index k) { return by * s.truth[k]; }))
                s.say(fmt::format("claimed = {}{} * true", minus, f.name),
                      fmt::format("multiply {} by {}{}", s.here, minus, f.inverse));
}

void unnamed_factor(Search& s) {
    double up = 0, down = 0;
    for (Index k = 0; k < s.truth.size(); ++k)
        if (s.known(k)) {
            // In units of the largest, so that neither sum overflows or underflows.
            up += s.claimed[k] / s.largest * (s.truth[k] / s.largest);
            down += s.truth[k] / s.largest * (s.truth[k] / s.largest);
        }
    const double f = up / down;
    if (f != 0 && std::isfinite(f) && s.claims([&](Index k) { return f * s.truth[k]; }))
        s.say(Mistake::factor, fmt::format("claimed = {:.6g} * true", f), fmt::format("divide {} by {:.6g}", s.here, f), 1);
}

void lost_sign(Search& s) {
    for (const double sign : {1.0, -1.0})
        if (s.claims([&](Index k) { return sign * std::abs(s.truth[k]); }))
            s.say(fmt::format("the sign is lost: claimed = {}|true|", sign < 0 ? "-" : ""));
}

void chain_factor(Search& s) {
    const Tensor<double>&t = s.truth, &g = s.claimed;
    for (const Basis& b : s.bases(t.shape())) {
        if (s.claims([&](Index k) { return t[k] * b.value[k]; }))
            s.say(fmt::format("claimed = true {}: the factor is too much", b.name),
                  fmt::format("divide {} by {}", s.here, b.name));
        // Where the factor is 0 the claim may be anything: a claim that is multiplied by it is right there.
        Index compared = 0;
        const bool lacks = s.claims([&](Index k) {
            compared += b.value[k] != 0 ? 1 : 0;
            return b.value[k] != 0 ? t[k] / b.value[k] : s.near(t[k], 0) ? g[k] : std::numeric_limits<double>::quiet_NaN();
        });
        if (lacks && (compared > 1 || g.size() == 1))
            s.say(fmt::format("the factor {} is missing", b.name), fmt::format("multiply {} by {}", s.here, b.name));
    }
}

void bare_cotangent(Search& s) {
    if (s.claims(s.e.u)) s.say("claimed = dy: the derivative of the op is missing", fmt::format("multiply {} by it", s.here));
}

/// dx = f dy with the wrong f.
void another_slope(Search& s) {
    std::string belongs;
    const std::vector<Basis> all = s.bases(s.truth.shape());
    const auto is_true = [&](const Basis& b) {
        for (Index k = 0; k < s.truth.size(); ++k)
            if (s.known(k) && !s.near(s.truth[k], s.e.u[k] * b.value[k])) return false;
        return true;
    };
    if (const auto b = std::find_if(all.begin(), all.end(), is_true); b != all.end()) belongs = b->name;
    for (const Basis& b : all)
        if (s.claims([&](Index k) { return s.e.u[k] * b.value[k]; }))
            s.say(fmt::format("claimed = {} dy{}", b.name, belongs.empty() ? "" : ", true = " + belongs + " dy"),
                  belongs.empty() ? "" : fmt::format("use {}, not {}", belongs, b.name));
}

void chain_factor_of_output(Search& s) {
    for (const Basis& b : s.bases(s.e.y.shape()))
        for (const bool divide : {false, true}) {
            Tensor<double> v(s.e.u.shape());
            for (Index k = 0; k < v.size(); ++k) v[k] = divide ? s.e.u[k] / b.value[k] : s.e.u[k] * b.value[k];
            if (s.claims(s.pulled(v)))
                s.say(fmt::format("the cotangent is {} {}", divide ? "divided by" : "multiplied by", b.name),
                      fmt::format("start from dy, not from dy {} {}", divide ? "/" : "*", b.name));
        }
}

}  // namespace gradproof::check
