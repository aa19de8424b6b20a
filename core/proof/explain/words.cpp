// The backward of a draw in sentences.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gradproof/core/check/compare.hpp"
#include "gradproof/core/proof/derive/derive.hpp"
#include "gradproof/core/proof/explain/explain.hpp"
#include "gradproof/core/text_table.hpp"

namespace gradproof::proof {
namespace {

constexpr std::size_t kMostSummands = 6;

std::string number_text(double x) { return fmt::format("{:.4g}", x == 0 ? 0.0 : x); }

/// "0.2 × 1.5 - 0.3 × 2", the largest where there are many.
std::string sum_text(std::vector<Product> products) {
    const std::size_t all = products.size();
    if (all > kMostSummands) {
        std::ranges::stable_sort(products,
                                 [](const Product& a, const Product& b) { return std::abs(a.value()) > std::abs(b.value()); });
        products.resize(kMostSummands);
    }
    std::string out;
    for (const Product& p : products) {
        out += out.empty() ? p.minus ? "-" : "" : p.minus ? " - " : " + ";
        for (std::size_t i = 0; i < p.factors.size(); ++i) {
            const Factor& f = p.factors[i];
            if (i > 0 || f.divides) out += f.divides ? i > 0 ? " / " : "1 / " : " × ";
            out += f.value < 0 && !out.empty() ? "(" + number_text(f.value) + ")" : number_text(f.value);
        }
    }
    if (all > kMostSummands) out += fmt::format(" + {} smaller", all - kMostSummands);
    return out;
}

/// Where it stands, as a row-major position.
Index largest_entry(const Tensor<double>& x) {
    Index at = 0;
    for (Index i = 0; i < x.size(); ++i)
        if (std::abs(x[i]) > std::abs(x[at])) at = i;
    return at;
}
std::vector<Index> index_at(Index position, const Tensor<double>& x) {
    const Shape index = check::unravel(position, x.shape());
    return {index.begin(), index.end()};
}

/// Whether every row cancels: what comes back through a softmax.
bool rows_cancel(const Tensor<double>& x) {
    if (x.rank() < 1 || x.size() == 0 || x.shape().last() < 2) return false;
    const Index m = x.shape().last();
    for (Index i = 0; i < x.size(); i += m) {
        double sum = 0, scale = 0;
        for (Index j = 0; j < m; ++j) sum += x[i + j], scale += std::abs(x[i + j]);
        if (scale == 0 || std::abs(sum) > 1e-12 * scale) return false;
    }
    return true;
}

/// One paragraph in lines of a terminal's width, those after the first indented.
std::string wrapped(const std::string& text) {
    constexpr std::size_t kWidth = 120;
    std::string out, line;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t end = std::min(text.find(' ', i), text.size());
        const std::string word = text.substr(i, end - i);
        if (!line.empty() && columns_of(line) + 1 + columns_of(word) > kWidth) {
            out += line + "\n";
            line = "   " + word;
        } else {
            line += (line.empty() ? "" : " ") + word;
        }
        i = end + 1;
    }
    return out + line + "\n";
}

/// "Q, K and V"
std::string listed(const std::vector<std::string>& names) {
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i) out += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
    return out;
}

class Words {
  public:
    Words(const Proof& derived, const InstanceOptions& options)
        : derived_(derived), plan_(derived_, options.bind), draw_(derived_, plan_, options, 0) {}

    std::string of(const Step& s, int number) {
        const std::string name = s.name.substr(std::string_view("∂L/∂").size());
        std::string out = fmt::format("{}. ", number);
        if (!s.formula.empty())
            return out +
                   fmt::format("{} is the last value. The gradient that comes in, {}, is drawn{}.", name, s.name, largest(s));
        if (plan_.consumers(name).empty())
            return out + fmt::format("{} is the loss, or nothing is computed from it{}.", name, largest(s));
        std::vector<std::string> lines;
        for (const std::size_t c : plan_.consumers(name))
            lines.push_back(fmt::format("{} = {}", derived_.forward[c].left(), text_of(*derived_.forward[c].value)));
        out += fmt::format("{} stands in {}. ", name, listed(lines));
        if (lines.size() > 1) out += "What comes back on each of these paths is added. ";
        out += s.derived.empty() ? fmt::format("The chain rule gives {}", s.name)
                                 : fmt::format("{}: {} = {}", with_capital(s.rule), s.name, s.derived);
        out += largest(s) + ".";
        out += example(s, name);
        if (rows_cancel(s.value)) out += " Its rows sum to 0.";
        if (s.claim)
            out += fmt::format(" Line {} of the file says {}, and {}.", s.claim->line, s.claim->formula,
                               s.claim->agrees ? "agrees" : "does not agree");
        return out;
    }

  private:
    static std::string with_capital(std::string text) {
        if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
        return text;
    }
    static std::string largest(const Step& s) {
        if (s.value.size() == 0) return "";
        const Index at = largest_entry(s.value);
        const std::string value = number_text(s.value[at]);
        if (s.value.rank() == 0) return fmt::format(", {} here", value);
        return fmt::format(", {}; its largest entry is {} at {}", s.shape, value, index_text(index_at(at, s.value)));
    }
    std::string example(const Step& s, const std::string& name) {
        const Cell cell{Cell::Type::gradient, name, "", index_at(largest_entry(s.value), s.value), {}};
        const CellReport c = take_apart(cell, derived_, plan_, draw_);
        if (c.products.empty()) return "";
        std::string out = fmt::format(" That is {} = {}.", sum_text(c.products), number_text(c.sum));
        for (const OpenedFactor& o : c.opened)
            out += fmt::format(" Here {} is {} = {}.", o.name, sum_text(o.products), number_text(o.sum));
        return out;
    }

    const Proof& derived_;
    const Plan plan_;
    Instance draw_;
};

}  // namespace

std::string explain_in_words(const Proof& proof, const InstanceOptions& options, const Control& control) {
    const ControlScope scope(control, "explain_in_words");
    const Explanation e = explain(proof, options);
    if (e.forward.empty()) return "nothing is computed, so nothing goes back\n";
    Proof derived = in_notation(proof);
    try {
        derived = read_proofs(proof.source->file(), to_text(derive(proof))).front();
    } catch (const ProofError&) {  // then the chain rule tells each step
    }
    std::vector<std::string> inputs;
    for (const Given& g : proof.given)
        if (g.differentiable) inputs.push_back(g.name);
    std::string out = fmt::format("{}Forward, {} {} from {}: ", e.title.empty() ? "" : e.title + ". ", e.forward.size(),
                                  e.forward.size() == 1 ? "step" : "steps", inputs.empty() ? "what is given" : listed(inputs));
    for (std::size_t i = 0; i < e.forward.size(); ++i)
        out += fmt::format("{}{} = {}", i > 0 ? ", then " : "", e.forward[i].name, e.forward[i].formula);
    out = wrapped(out + ".");
    out += fmt::format("Backward, from the last to the first; the loss is {}.\n", e.loss);
    Words words(derived, options);
    int number = 0;
    for (const Step& s : e.backward) out += wrapped(words.of(s, ++number));
    return out;
}

}  // namespace gradproof::proof
