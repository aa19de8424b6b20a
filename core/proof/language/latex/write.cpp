// Printing expression trees in LaTeX.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/any_function.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/expression_writer.hpp"
#include "gradproof/core/proof/language/identities.hpp"
#include "gradproof/core/proof/language/latex/names.hpp"
#include "gradproof/core/proof/language/write.hpp"

namespace gradproof::proof::latex {
namespace {

class Writer : public ExpressionWriter {
  public:
    explicit Writer(const LatexSpelling& spelling) : spelling_(spelling) {}

    std::string text(const Expr& e) const override {
        switch (e.kind) {
            case Kind::number: return number(e);
            case Kind::helper:
                if (is_einsum(e)) value_error("einsum has no words in LaTeX: {}", e.name);
                return name(e.name);
            case Kind::name: return is_index(e) ? name(e.name) + " - 1" : name(e.name);
            case Kind::word: return "\\mathrm{" + e.name + "}";
            case Kind::array: return array(e);
            case Kind::ellipsis: return "\\dots";
            case Kind::slice: return e.children.empty() ? ":" : entry(*e.children[0]) + ":" + text(*e.children[1]);
            case Kind::sum: {
                const ExprPtr as_written = counted(e);
                return as_written->kind == Kind::sum ? sum(*as_written) : text(*as_written);
            }
            case Kind::product: return product(e);
            case Kind::negate: return "-" + at_least(*e.children[0], kUnary);
            case Kind::transpose: return base(*e.children[0]) + "^\\top";
            case Kind::power: return base(*e.children[0]) + "^{" + text(*e.children[1]) + "}";
            case Kind::call: return unsized_text(e) == "1" ? "\\mathbf{1}" : unsized_text(e) == "I" ? "I" : call(e);
            case Kind::index: return index(e);
            case Kind::reduce: return reduction(e);
            case Kind::delta: return "\\delta_{" + entries(e, 0, 2) + "}";
            case Kind::gradient: return gradient(name(e.name));
            case Kind::jacobian:
                if (!e.options.empty())
                    return "\\frac{\\partial^2 " + name(e.name) + "}{\\partial " +
                           with_entries(name(e.options[0].value->name), e, 0, e.split) + " \\partial " +
                           with_entries(name(e.other), e, e.split, e.children.size()) + "}";
                return derivative(with_entries(name(e.name), e, 0, e.split),
                                  with_entries(name(e.other), e, e.split, e.children.size()));
        }
        return "";
    }

  private:
    /// A quotient that stands as one; of a gradient, itself a fraction as most write it, it is a / b.
    bool is_fraction(const Expr& e) const {
        if (e.kind != Kind::product || e.children.size() != 2 || e.joints[1] != '/') return false;
        const Expr& top = without_indices(*e.children[0]);
        if (top.kind != Kind::gradient) return top.kind != Kind::jacobian;
        return spelling_.style == GradientStyle::nabla || spelling_.style == GradientStyle::d;
    }
    /// Brackets that grow with what they hold.
    std::string in_brackets(const std::string& inner) const override {
        return inner.find("\\frac") == std::string::npos ? "(" + inner + ")" : "\\left(" + inner + "\\right)";
    }
    Binding binding(const Expr& e) const override {
        switch (e.kind) {
            case Kind::name: return is_index(e) ? kSum : kPrimary;
            case Kind::sum: return counted(e)->kind == Kind::sum ? kSum : kPrimary;
            case Kind::product: return is_fraction(e) ? kUnary : kProduct;
            case Kind::reduce: return e.name == "mean" ? kPrimary : kProduct;
            case Kind::negate:
            case Kind::jacobian:
            case Kind::gradient: return kUnary;
            case Kind::transpose:
            case Kind::power: return kPostfix;
            case Kind::call: return e.name == "inverse" ? kPostfix : kPrimary;
            default: return kPrimary;
        }
    }
    /// An index that stands as a number, where the text counts from 1: the i that it writes is this one plus 1.
    bool is_index(const Expr& e) const {
        const bool letter = e.name.size() == 1 && e.name[0] >= 'a' && e.name[0] <= 'z' && e.name != "e";
        return counts() && e.kind == Kind::name && letter && !spelling_.names.contains(e.name);
    }
    /// Whether the text it comes from, whose names are known then, counts from 1.
    bool counts() const { return spelling_.first == 1 && !spelling_.names.empty(); }
    bool has_index(const Expr& e) const {
        return e.kind == Kind::sum && std::ranges::any_of(e.children, [&](const ExprPtr& c) { return is_index(*c); });
    }
    /// A sum with indices as the text writes it, of i + 1 the i.
    ExprPtr counted(const Expr& e) const { return has_index(e) ? collected(e) : make(Expr(e)); }
    /// The same with its numbers in one. What stands in a helper is written as it is.
    ExprPtr collected(const Expr& e) const {
        std::vector<std::pair<char, ExprPtr>> terms;
        double rest = 0;
        for (std::size_t i = 0; i < e.children.size(); ++i) {
            const Expr& c = *e.children[i];
            const double sign = e.joints[i] == '-' ? -1 : 1;
            if (c.kind == Kind::number)
                rest += sign * c.number;
            else
                terms.emplace_back(e.joints[i], is_index(c) ? as_is(c.name) : e.children[i]);
            if (is_index(c)) rest -= sign;
        }
        if (rest != 0) terms.emplace_back(rest < 0 ? '-' : '+', proof::number(std::abs(rest)));
        if (terms.size() == 1 && terms[0].first == '+') return terms[0].second;
        Expr out = node(Kind::sum);
        for (const auto& [sign, term] : terms) {
            out.joints += sign;
            out.children.push_back(term);
        }
        return make(std::move(out));
    }
    static ExprPtr as_is(const std::string& index) { return make(node(Kind::helper, {}, index)); }
    std::string name(const std::string& n) const {
        if (const auto [of, by] = quotient(n); !by.empty()) return derivative(name(of), name(by));
        const auto found = spelling_.names.find(n);
        return found != spelling_.names.end() ? found->second : spelled(n);
    }
    /// Of ∂f/∂x, the name of a gradient where second derivatives are judged, f and x.
    static std::pair<std::string, std::string> quotient(const std::string& n) {
        constexpr std::string_view kSign = "∂", kBy = "/∂";
        const std::size_t by = n.starts_with(kSign) ? n.find(kBy) : n.npos;
        if (by == n.npos) return {};
        return {n.substr(kSign.size(), by - kSign.size()), n.substr(by + kBy.size())};
    }
    static std::string number(const Expr& e) {
        if (std::isinf(e.number)) return "\\infty";
        const std::size_t power = e.name.find_first_of("eE");
        if (power == std::string::npos) return e.name;
        const std::string digits = e.name.substr(0, power), tens = "10^{" + e.name.substr(power + 1) + "}";
        return digits == "1" ? tens : "(" + digits + " \\cdot " + tens + ")";
    }
    static std::string derivative(const std::string& of, const std::string& by) {
        return "\\frac{\\partial " + of + "}{\\partial " + by + "}";
    }

    std::string gradient(const std::string& by) const {
        const std::string loss = spelling_.loss.empty() ? "L" : spelling_.loss;
        switch (spelling_.style) {
            case GradientStyle::nabla: return fmt::format("\\nabla_{{{}}} {}", by, loss);
            case GradientStyle::slash: return fmt::format("\\partial {}/\\partial {}", loss, by);
            case GradientStyle::d: return "d" + by;
            default: return derivative(loss, by);
        }
    }

    /// What a superscript is put to.
    std::string base(const Expr& e) const {
        const std::string out = at_least(e, kPrimary);
        const bool raised = out.find('^') != std::string::npos && (e.kind == Kind::name || e.kind == Kind::index);
        return raised ? "{" + out + "}" : out;
    }

    std::string entry(const Expr& e) const {
        if (e.kind == Kind::slice) return text(e);
        if (e.kind == Kind::number) return fmt::format("{}", e.number + spelling_.first);
        if (!counts()) return text(e);
        // Both sides count from 1; within an entry e is an index too.
        const auto is_e = [&](const Expr& part) {
            return part.kind == Kind::name && part.name == "e" && !spelling_.names.contains("e");
        };
        if (any_part(e, [&](const Expr& part) { return is_index(part) || is_e(part); })) {
            LatexSpelling same = spelling_;
            same.first = 0;
            return Writer(same).text(e);
        }
        Expr one_more = e.kind == Kind::sum ? e : node(Kind::sum, {make(Expr(e))});
        if (e.kind != Kind::sum) one_more.joints = "+";
        one_more.children.push_back(proof::number(1));
        one_more.joints += '+';
        return text(*collected(one_more));
    }
    std::string entries(const Expr& e, std::size_t begin, std::size_t end) const {
        std::string out;
        for (std::size_t i = begin; i < end; ++i) out += (i > begin ? "," : "") + entry(*e.children[i]);
        return out;
    }
    std::string with_entries(const std::string& of, const Expr& e, std::size_t begin, std::size_t end) const {
        if (begin == end) return of;
        const std::string list = entries(e, begin, end);
        return of.find('_') == std::string::npos ? of + "_{" + list + "}" : "{" + of + "}_{" + list + "}";
    }
    std::string index(const Expr& e) const {
        const Expr& of = *e.children[0];
        if (const auto [f, x] = quotient(of.kind == Kind::name ? of.name : ""); !x.empty())
            return derivative(name(f), with_entries(name(x), e, 1, e.children.size()));
        const bool inside = spelling_.style != GradientStyle::nabla && of.kind == Kind::gradient;
        if (inside) return gradient(with_entries(name(of.name), e, 1, e.children.size()));
        return with_entries(at_least(of, kPrimary), e, 1, e.children.size());
    }

    std::string product(const Expr& e) const {
        if (is_fraction(e)) return "\\frac{" + text(*e.children[0]) + "}{" + text(*e.children[1]) + "}";
        std::string out;
        for (std::size_t i = 0; i < e.children.size(); ++i) {
            const bool digit = e.children[i]->kind == Kind::number && e.joints[i] == '@';
            if (i > 0) out += e.joints[i] == '/' ? " / " : e.joints[i] == '*' ? " \\odot " : digit ? " \\cdot " : " ";
            out += factor(e, i);
        }
        return out;
    }

    std::string call(const Expr& e) const {
        const bool of_one = e.children.size() == 1 && e.options.empty();
        if (of_one && e.name == "sqrt") return "\\sqrt{" + text(*e.children[0]) + "}";
        if (of_one && e.name == "norm") return "\\lVert " + text(*e.children[0]) + " \\rVert";
        if (of_one && e.name == "inverse") return base(*e.children[0]) + "^{-1}";
        if (of_one && e.name == "abs") return "\\lvert " + text(*e.children[0]) + " \\rvert";
        if (of_one && e.name == "step") return "\\mathbf{1}[" + text(*e.children[0]) + " > 0]";
        if (has_cases(e)) return cases(e);
        if (of_one && (e.name == "eye" || e.name == "ones") && has_sign_of_its_own(e)) return with_size(e);
        std::string given;
        for (std::size_t i = 0; i < e.children.size(); ++i) given += (i > 0 ? ", " : "") + text(*e.children[i]);
        for (const Option& o : e.options) given += (given.empty() ? "" : ", ") + ("\\mathrm{" + o.name + "}=") + text(*o.value);
        return called(e.name) + in_brackets(given);
    }

    /// I_n and \mathbf{1}_n, where no value is called so.
    bool has_sign_of_its_own(const Expr& e) const {
        const std::string sign = e.name == "eye" ? "I" : "\\mathbf{1}";
        const Expr& size = *e.children[0];
        return (size.kind == Kind::name || size.kind == Kind::number) &&
               std::ranges::none_of(spelling_.names, [&](const auto& one) { return one.second == sign; });
    }
    std::string with_size(const Expr& e) const {
        return std::string(e.name == "eye" ? "I" : "\\mathbf{1}") + "_{" + text(*e.children[0]) + "}";
    }

    std::string called(const std::string& function) const {
        if (!is_any_function(function)) return function_spelled(function);
        const std::string_view shown = shown_function(function), base = shown.substr(0, shown.find('\''));
        return name(std::string(base)) + std::string(shown.substr(base.size()));
    }
    static bool has_cases(const Expr& e) {
        return e.kind == Kind::call && e.name == "where" && e.children.size() == 3 && e.children[0]->kind == Kind::call &&
               e.children[0]->name == "step";
    }
    std::string cases(const Expr& e) const {
        std::string out = "\\begin{cases} ";
        const Expr* rest = &e;
        for (; has_cases(*rest); rest = rest->children[2].get())
            out += text(*rest->children[1]) + " & " + text(*rest->children[0]->children[0]) + " > 0 \\\\ ";
        return out + text(*rest) + " & \\text{otherwise} \\end{cases}";
    }

    std::string reduction(const Expr& e) const {
        std::string bound;
        for (const std::string& b : e.bound) bound += (bound.empty() ? "" : ",") + b;
        if (e.name == "sum" || e.name == "prod") {
            std::string ends;
            if (e.bound.size() == 1 && e.options.size() == 1) {
                bound += spelling_.first == 1 ? "=1" : "=0";
                ends = "^{" + text(*e.options[0].value) + (spelling_.first == 1 ? "}" : " - 1}");
            }
            return fmt::format("\\{}_{{{}}}{} {}", e.name, bound, ends, at_least(*e.children[0], kProduct));
        }
        return fmt::format("{}_{{{}}}{}", function_spelled(e.name), bound, in_brackets(text(*e.children[0])));
    }

    std::string array(const Expr& e) const {
        std::string out;
        for (const ExprPtr& row : e.children) {
            const bool nested = row->kind == Kind::array;
            if (!out.empty()) out += nested ? " \\\\ " : " & ";
            for (std::size_t i = 0; nested && i < row->children.size(); ++i)
                out += (i > 0 ? " & " : "") + text(*row->children[i]);
            if (!nested) out += text(*row);
        }
        return "\\begin{bmatrix} " + out + " \\end{bmatrix}";
    }

    const LatexSpelling& spelling_;
};

}  // namespace

std::string text_of(const Expr& e, const LatexSpelling& spelling) { return Writer(spelling).text(e); }
std::string text_of(const Expr& e) { return text_of(e, e.spelling ? *e.spelling : LatexSpelling{}); }

}  // namespace gradproof::proof::latex
