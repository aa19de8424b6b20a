// Diagnosis: what the true gradient was multiplied by, a constant or something of the call entry by entry.
#include <algorithm>
#include <limits>

#include "gradproof/core/check/gradient_diagnoser.hpp"

namespace gradproof::check {
namespace {

/// A factor with the name of what undoes it.
struct Factor {
    std::string name, inverse;
    double value;
};

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
    return out;
}

}  // namespace

void GradientDiagnoser::not_finite() {
    Index off = 0;
    bool at_zero = e_.x.size() > static_cast<std::size_t>(input_);
    for (Index k = 0; k < g_.size(); ++k) {
        if (!known(k) || std::isfinite(g_[k])) continue;
        ++off;
        at_zero = at_zero && e_.x[static_cast<std::size_t>(input_)][k] == 0;
    }
    // Of arrays alone, without the call, it says nothing new.
    if (off > 0 && !e_.x.empty())
        say("not_finite",
            fmt::format("claimed is not finite at {} of {} entries{}", off, g_.size(),
                        at_zero ? ", those where the input is 0" : ""),
            "guard the division or logarithm there");
}

void GradientDiagnoser::zero() {
    if (claims([](Index) { return 0.0; }))
        say("missing_path", "claimed is zero everywhere",
            e_.names.empty() ? "" : fmt::format("hand back {}: nothing arrives", here()));
}

void GradientDiagnoser::constant_factor() {
    const auto is = [&](double f) { return claims([&](Index k) { return f * t_[k]; }); };
    if (is(-1)) say("sign", "the sign is wrong: claimed = -true", fmt::format("negate {}", here()));
    for (const Factor& f : factors(e_.constants))
        for (const double sign : {1.0, -1.0})
            if (is(sign * f.value)) {
                const char* minus = sign < 0 ? "-" : "";
                say("factor", fmt::format("claimed = {}{} * true", minus, f.name),
                    fmt::format("multiply {} by {}{}", here(), minus, f.inverse));
            }
}

void GradientDiagnoser::mean_for_sum() {
    if (!e_.y.defined() || !broadcasts_to(t_.shape(), e_.y.shape()) || t_.size() == e_.y.size()) return;
    const double n = static_cast<double>(e_.y.size() / t_.size());
    const std::string& x = e_.names[static_cast<std::size_t>(input_)];
    if (claims([&](Index k) { return t_[k] / n; }))
        say("mean_for_sum", fmt::format("it is the mean over the axes along which {} is broadcast, not the sum", x),
            fmt::format("sum {} over them", here()));
}

void GradientDiagnoser::unnamed_factor() {
    double up = 0, down = 0;
    for (Index k = 0; k < t_.size(); ++k)
        if (known(k)) {
            // In units of the largest, so that neither sum overflows or underflows.
            up += g_[k] / largest_ * (t_[k] / largest_);
            down += t_[k] / largest_ * (t_[k] / largest_);
        }
    const double f = up / down;
    if (f != 0 && std::isfinite(f) && claims([&](Index k) { return f * t_[k]; }))
        say_fitted(1, "factor", fmt::format("claimed = {:.6g} * true", f), fmt::format("divide {} by {:.6g}", here(), f));
}

void GradientDiagnoser::lost_sign() {
    for (const double sign : {1.0, -1.0})
        if (claims([&](Index k) { return sign * std::abs(t_[k]); }))
            say("sign", fmt::format("the sign is lost: claimed = {}|true|", sign < 0 ? "-" : ""));
}

void GradientDiagnoser::slopes() {
    if (e_.x.empty()) return;
    for (const Basis& s : bases(t_.shape())) {
        if (claims([&](Index k) { return t_[k] * s.value[k]; }))
            say("missing_chain_factor", fmt::format("claimed = true {}: the factor is too much", s.name),
                fmt::format("divide {} by {}", here(), s.name));
        // Where s is 0 the claim may be anything: a claim that is multiplied by s is right there.
        Index compared = 0;
        const bool lacks = claims([&](Index k) {
            compared += s.value[k] != 0 ? 1 : 0;
            return s.value[k] != 0 ? t_[k] / s.value[k] : near(t_[k], 0) ? g_[k] : std::numeric_limits<double>::quiet_NaN();
        });
        if (lacks && (compared > 1 || g_.size() == 1))
            say("missing_chain_factor", fmt::format("the factor {} is missing", s.name),
                fmt::format("multiply {} by {}", here(), s.name));
    }
}

/// dx = s dy with the wrong s.
void GradientDiagnoser::another_slope() {
    if (!e_.u.defined() || !(e_.u.shape() == t_.shape())) return;
    if (claims(e_.u))
        say("missing_chain_factor", "claimed = dy: the derivative of the op is missing",
            fmt::format("multiply {} by it", here()));
    std::string belongs;
    const std::vector<Basis> all = bases(t_.shape());
    const auto is_true = [&](const Basis& s) {
        for (Index k = 0; k < t_.size(); ++k)
            if (known(k) && !near(t_[k], e_.u[k] * s.value[k])) return false;
        return true;
    };
    for (const Basis& s : all)
        if (belongs.empty() && is_true(s)) belongs = s.name;
    for (const Basis& s : all)
        if (claims([&](Index k) { return e_.u[k] * s.value[k]; }))
            say("wrong_slope", fmt::format("claimed = {} dy{}", s.name, belongs.empty() ? "" : ", true = " + belongs + " dy"),
                belongs.empty() ? "" : fmt::format("use {}, not {}", belongs, s.name));
}

void GradientDiagnoser::slopes_of_output() {
    if (!has_jacobian()) return;
    for (const Basis& s : bases(e_.y.shape()))
        for (const bool divide : {false, true}) {
            Tensor<double> v(e_.u.shape());
            for (Index k = 0; k < v.size(); ++k) v[k] = divide ? e_.u[k] / s.value[k] : e_.u[k] * s.value[k];
            if (claims(pulled(v)))
                say("missing_chain_factor",
                    fmt::format("the cotangent is {} {}", divide ? "divided by" : "multiplied by", s.name),
                    fmt::format("start from dy, not from dy {} {}", divide ? "/" : "*", s.name));
        }
}

}  // namespace gradproof::check
