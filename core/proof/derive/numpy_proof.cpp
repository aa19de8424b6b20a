// Writing derivations in NumPy.
#include "gradproof/core/proof/derive/numpy_proof.hpp"

#include <algorithm>

#include "gradproof/core/proof/derive/derive.hpp"
#include "gradproof/core/proof/derive/numpy_text.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/write_proof.hpp"

namespace gradproof::proof {
namespace {

/// Modules and functions that are written.
const std::vector<std::string_view> kReserved =
    reserved_in_python({"np", "erf", "relu", "silu", "gelu", "sigmoid", "softplus", "softmax", "log_softmax", "logsumexp",
                        "logdet", "one_hot", "stop_gradient"});

/// In the notation where it has words for it: not for a value that is called as a function is, for one that has another value
/// later, and for one that only its gradient has a name for.
Proof read_again(const Proof& proof) {
    if (std::ranges::any_of(proof.forward, [](const Assignment& a) { return !a.gradient.empty(); })) return proof;
    try {
        return in_notation(proof);
    } catch (const ProofError&) {
        return proof;
    }
}

}  // namespace

class NumpyLines::Writer {
  public:
    explicit Writer(const Proof& proof)
        : proof_(proof), forward_(read_again(proof)), known_(forward_), names_(kReserved), numpy_(known_, names_, forward_) {
        for (const Assignment& a : proof.forward) {  // what comes in from outside is called dh, and no line claims that of h
            const bool comes_in = std::ranges::find(proof.given, "(d" + a.name + ")", &Given::name) != proof.given.end();
            const auto claims = [&](const JudgedLine& l) { return l.left && is_gradient_of(*l.left, a.name); };
            if (comes_in && std::ranges::none_of(proof.lines, claims)) names_.of("d" + a.name);
        }
    }

    std::string text() {
        declare();
        out_ += "\n";
        for (const Assignment& a : forward_.forward)
            if (!a.inner) assign(a);
        for (const JudgedLine& l : proof_.lines) {
            if (l.state == JudgedLine::State::skipped) continue;
            try {
                judged(l);
            } catch (const NoRule&) {
                remark(l);
            }
        }
        return out_;
    }

    /// Errors: NoRule where there are no words.
    std::string right(const Expr& left, const ExprPtr& right) {
        if (left.kind != Kind::index) return numpy_.text(right);
        std::vector<std::string> indices;
        for (std::size_t i = 1; i < left.children.size(); ++i) {
            const Expr& at = *left.children[i];
            if (at.kind != Kind::name || std::ranges::count(indices, at.name) > 0 || known_.is_value(at.name)) no_numpy(left);
            indices.push_back(at.name);
        }
        return numpy_.entries(right, indices);
    }
    std::string left(const Expr& left) {
        const Expr& of = without_indices(left);
        if (of.kind != Kind::gradient) no_numpy(left);
        return numpy_.gradient(of.name);
    }

  private:
    void note(const std::string& text) { out_ += "# gradproof: " + text + "\n"; }
    void remark(const JudgedLine& l) { out_ += "# not in NumPy: " + printable(l.text, 1000) + "\n"; }

    /// A size, or another expression of sizes, with their names in Python.
    std::string size(const ExprPtr& e) {
        const ExprPtr named = rewritten(e, [&](const Expr& part) -> ExprPtr {
            return part.kind == Kind::name && known_.is_value(part.name) ? name(names_.of(part.name)) : nullptr;
        });
        return written(*named, Notation::notation);
    }

    void declare() {
        if (!proof_.title.empty()) note(fmt::format("title \"{}\"", proof_.title));
        std::string dims;
        for (const Dim& d : forward_.dims) {
            dims += " " + names_.of(d.name);
            if (d.value) dims += "=" + (d.value->children.empty() ? size(d.value) : "(" + size(d.value) + ")");
        }
        if (!dims.empty()) note("dims" + dims);
        for (const Given& g : forward_.given)
            if (g.name.find('(') == std::string::npos)
                note((g.differentiable ? "input " : "const ") +
                     given_text(g, names_.of(g.name), [&](const ExprPtr& e) { return size(e); }));
    }

    void assign(const Assignment& a) {
        try {
            if (a.is_recurrence()) throw NoWords("steps that need those before them");
            const std::string value = a.indices.empty() ? numpy_.text(a.value) : numpy_.entries(a.value, a.indices);
            if (a.is_loss) note("loss " + names_.of(a.name));
            out_ += names_.of(a.name) + " = " + value + "\n";
        } catch (const NoRule& e) {
            value_error("print: NumPy has no words for {} in  {} = {}", e.what(), a.left(), text_of(*a.value));
        }
    }

    void judged(const JudgedLine& l) {
        if (!l.is_judged() || l.type != JudgedLine::Type::claim) throw NoWords(l.text);
        const std::string value = right(*l.left, l.right);
        define_helpers(*l.right);
        out_ += left(*l.left) + " = " + value + "\n";
    }

    /// Names that stand for expressions, before the first line that uses them.
    void define_helpers(const Expr& e) {
        for_each(e, [&](const Expr& part) {
            if (part.kind != Kind::helper || is_einsum(part) || defined_.contains(part.name)) return;
            define_helpers(*part.children[0]);
            const std::string value =
                part.bound.empty() ? numpy_.text(part.children[0]) : numpy_.entries(part.children[0], part.bound);
            defined_.insert(part.name);
            out_ += names_.of(part.name) + " = " + value + "\n";
        });
    }

    const Proof& proof_;
    const Proof forward_;
    const Known known_;
    Identifiers names_;
    NumpyText numpy_;
    std::set<std::string> defined_;
    std::string out_;
};

std::string to_numpy(const Proof& proof) {
    if (proof.forward.empty()) value_error("print: without a forward there is nothing that NumPy has words for");
    return NumpyLines(proof).text();
}

NumpyLines::NumpyLines(const Proof& proof) : writer_(std::make_unique<Writer>(proof)) {}
NumpyLines::~NumpyLines() = default;

std::string NumpyLines::text() { return writer_->text(); }
std::string NumpyLines::right(const Expr& left, const ExprPtr& right) {
    try {
        return writer_->right(left, right);
    } catch (const NoRule&) {
        return "";
    }
}
std::string NumpyLines::line(const Expr& left, const ExprPtr& right) {
    try {
        return writer_->left(left) + " = " + writer_->right(left, right);
    } catch (const NoRule&) {
        return "";
    }
}

}  // namespace gradproof::proof
