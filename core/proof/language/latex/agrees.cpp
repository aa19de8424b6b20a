// Formulas of functions compared with what goes by their names, at a few numbers.
#include "gradproof/core/proof/language/latex/agrees.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/functions.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/latex/parser.hpp"

namespace gradproof::proof::latex {
namespace {

constexpr std::size_t kEntries = 4;
using Entries = std::array<double, kEntries>;
constexpr Entries kPoints{-1.9, -0.35, 0.6, 1.45};
constexpr double kOther = 1.7;  ///< in the place of every other number

struct NoValue {};

/// The value of a formula of one number or one vector.
class Value {
  public:
    Value(const Reading& reading, std::string parameter) : reading_(reading), parameter_(std::move(parameter)) {}

    double at(const Expr& e, double number, const Entries* entries) {
        number_ = number;
        entries_ = entries;
        return of(e);
    }
    std::map<std::string, std::size_t> indices;

  private:
    double of(const Expr& e) {
        const auto child = [&](std::size_t i) { return of(*e.children[i]); };
        switch (e.kind) {
            case Kind::number: return e.number;
            case Kind::name: return of_name(e.name);
            case Kind::negate: return -child(0);
            case Kind::power: return std::pow(child(0), child(1));
            case Kind::sum: return of_sum(e);
            case Kind::product: return of_product(e);
            case Kind::index: return of_entry(e);
            case Kind::reduce: return of_reduction(e);
            case Kind::call: return of_call(e);
            default: throw NoValue{};
        }
    }
    double of_name(const std::string& name) {
        if (name == parameter_) {
            if (entries_) throw NoValue{};
            return number_;
        }
        if (const auto index = indices.find(name); index != indices.end()) return static_cast<double>(index->second);
        if (name == "e") return std::exp(1.0);
        if (name == "π" || name == "pi") return std::acos(-1.0);
        if (reading_.names.dims.contains(name) || !reading_.names.values.contains(name)) throw NoValue{};
        const auto given = std::ranges::find(reading_.proof.given, name, &Given::name);
        if (given == reading_.proof.given.end() || !given->shape.empty()) throw NoValue{};
        return given->value && given->value->kind == Kind::number ? given->value->number : kOther;
    }
    double of_sum(const Expr& e) {
        double out = 0;
        for (std::size_t i = 0; i < e.children.size(); ++i) out += (e.joints[i] == '-' ? -1 : 1) * of(*e.children[i]);
        return out;
    }
    double of_product(const Expr& e) {
        double out = of(*e.children[0]);
        for (std::size_t i = 1; i < e.children.size(); ++i) {
            const double next = of(*e.children[i]);
            out = e.joints[i] == '/' ? out / next : out * next;
        }
        return out;
    }
    double of_entry(const Expr& e) {
        if (!entries_ || e.children.size() != 2 || e.children[0]->kind != Kind::name || e.children[0]->name != parameter_)
            throw NoValue{};
        const double at = of(*e.children[1]);
        if (at < 0 || at >= static_cast<double>(kEntries)) throw NoValue{};
        return (*entries_)[static_cast<std::size_t>(at)];
    }
    double of_reduction(const Expr& e) {
        if (!entries_ || e.bound.size() != 1 || (e.name != "sum" && e.name != "max")) throw NoValue{};
        double out = e.name == "sum" ? 0 : -INFINITY;
        for (std::size_t i = 0; i < kEntries; ++i) {
            indices[e.bound[0]] = i;
            const double one = of(*e.children[0]);
            out = e.name == "sum" ? out + one : std::max(out, one);
        }
        indices.erase(e.bound[0]);
        return out;
    }
    double of_call(const Expr& e) {
        if (!e.options.empty() || !is_elementwise(e.name)) throw NoValue{};
        std::vector<Var<double>> arguments;
        for (const ExprPtr& c : e.children) arguments.emplace_back(Tensor<double>::scalar(of(*c)));
        return apply<double>(e.name, arguments, {}).value()[0];
    }

    const Reading& reading_;
    std::string parameter_;
    double number_ = 0;
    const Entries* entries_ = nullptr;
};

bool are_close(double a, double b) { return std::abs(a - b) <= 1e-9 * (1 + std::abs(a) + std::abs(b)); }

bool agrees_on_numbers(const FunctionMeaning& m, const Expr& body, Value value) {
    for (const double x : kPoints) {
        const double expected = apply<double>(m.function, {Var<double>(Tensor<double>::scalar(x))}, {}).value()[0];
        if (std::isfinite(expected) && !are_close(value.at(body, x, nullptr), expected)) return false;
    }
    return true;
}
bool agrees_on_a_vector(const FunctionMeaning& m, const Expr& body, Value value) {
    const Var<double> x(Tensor<double>::from({kEntries}, {kPoints[0], kPoints[1], kPoints[2], kPoints[3]}));
    const Tensor<double> expected = apply<double>(m.function, {x}, {}).value();
    for (std::size_t i = 0; i < static_cast<std::size_t>(expected.size()); ++i) {
        if (!m.index.empty()) value.indices[std::string(m.index[0].text)] = i;
        if (!are_close(value.at(body, 0, &kPoints), expected[static_cast<Index>(i)])) return false;
    }
    return true;
}

}  // namespace

Agreement agreement_with(const FunctionMeaning& m, const Reading& reading) {
    Reading inside = reading;
    const NameParts p = parts_of(reading.source, m.parameter, 0);
    inside.parameter = p.key(false, p.has_below, false);
    inside.indices.clear();
    try {
        const ExprPtr body = Parser(inside, m.body).whole();
        const Value value(reading, reading.id_of(inside.parameter));
        const bool of_vectors = !m.index.empty() || !is_elementwise(m.function);
        const bool same = of_vectors ? agrees_on_a_vector(m, *body, value) : agrees_on_numbers(m, *body, value);
        return same ? Agreement::yes : Agreement::no;
    } catch (const NoValue&) {
    } catch (const std::exception&) {  // not read, or not of such arguments
    }
    return Agreement::unknown;
}

bool function_stands_in(const Source& source, const Tokens& tokens, std::string_view function) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].kind == Token::Kind::command && letter_of(tokens[i].text).empty() &&
            function_of(tokens[i].text.substr(1)) == function)
            return true;
        const NameParts p = parts_of(source, tokens, i);
        if (p.base.size() > 1 && function_of(p.base) == function) return true;
    }
    return false;
}

}  // namespace gradproof::proof::latex
