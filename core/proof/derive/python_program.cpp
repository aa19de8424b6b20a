// The program around the expressions: forward, backward, and differences to hold them to.
#include <algorithm>
#include <cctype>

#include <fmt/ranges.h>

#include "gradproof/core/proof/derive/python_checks.hpp"
#include "gradproof/core/proof/derive/python_text.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

/// Modules and functions that are written.
const std::vector<std::string_view> kReservedInPython = reserved_in_python(
    {"np",   "jnp",   "jax",  "torch",  "math",     "sum",      "range",       "int",       "float",    "len",     "dict",
     "abs",  "print", "grid", "spread", "inside",   "where",    "larger",      "smaller",   "step",     "norm",    "like",
     "ctx",  "moved", "rng",  "draw",   "forward",  "backward", "check",       "saved",     "given",    "values",  "sigmoid",
     "relu", "silu",  "gelu", "erf",    "softplus", "softmax",  "log_softmax", "logsumexp", "reversed", "weights", "seed"});

class Program {
  public:
    Program(const Proof& proof, PythonTarget target, const DeriveOptions& options, const Control& control)
        : target_(target),
          asked_(options.wrt.begin(), options.wrt.end()),
          proof_(ending_in_a_value(proof)),
          derivation_(derive(proof_, options, control)),
          known_(proof_),
          names_(kReservedInPython),
          python_(known_, names_, target),
          name_(names_.unlike_others(file_stem(proof))) {
        for (const Underived& m : derivation_.missing) value_error("python: no backward without ∂L/∂{}: {}", m.name, m.reason);
        for (const Dim& d : proof_.dims) names_.of(d.name);
        for (const Given& g : proof_.given)
            if (g.differentiable || !g.value) parameters_.push_back(&g);
        for (const Assignment& a : proof_.forward)
            if (target != PythonTarget::numpy && asked_.contains(a.name))
                value_error("{} is computed, and this program gives gradients of inputs: NumPy gives all", a.name);
    }

    /// Of second order: its values are those of a forward, without gradients.
    Program(const SecondOrder& second, const Proof& proof, PythonTarget target)
        : target_(target),
          proof_(ending_in_a_value(second.proof)),
          derivation_(about(proof)),
          known_(proof_),
          names_(kReservedInPython),
          python_(known_, names_, target),
          name_(names_.unlike_others(file_stem(proof))) {
        for (const Dim& d : proof_.dims) names_.of(d.name);
        for (const Given& g : proof_.given)
            if (g.differentiable || !g.value) parameters_.push_back(&g);
    }

    std::string text() { return page(sizes() + drawn() + functions() + check(), "the forward and its gradients"); }
    std::string text_of_second(const SecondOrder& s) {
        const std::string direction = ", " + id(s.direction);
        std::string body = sizes() + drawn();
        std::erase_if(parameters_, [&](const Given* g) { return g->name == s.direction; });
        body += function("loss", "", s.loss) + function("gradient", "", s.gradient);
        body += function("hessian_product", direction, s.product) + check_of_hessian(target_, id(s.of), id(s.direction));
        return page(body, fmt::format("the loss, its gradient by {} and its Hessian times a direction", s.of), true);
    }

  private:
    std::string page(const std::string& body, const std::string& what, bool second = false) {
        const std::string title = derivation_.title.empty() ? std::string("A derivation") : printable(derivation_.title);
        std::string out = fmt::format("\"\"\"{}: {}.\n\nRun it to compare them with finite differences.\n\"\"\"\n", title, what);
        const std::string helpers = python_helpers(python_.helpers(), target_);
        if ((body + helpers).find("math.") != std::string::npos) out += "import math\n\n";
        return out + imports(second) + helpers + body;
    }
    std::string imports(bool second) const {
        switch (target_) {
            case PythonTarget::numpy: return "import numpy as np\n";
            case PythonTarget::torch:
                return second ? "import numpy as np\nimport torch\n"
                              : "import torch\nfrom torch.autograd.function import once_differentiable\n";
            default:
                return fmt::format("import jax\nimport jax.numpy as jnp\nimport numpy as np\n{}",
                                   second ? "" : "from jax.test_util import check_grads\n");
        }
    }
    const std::string& id(const std::string& name) { return names_.of(name); }
    std::string joined(const auto& all, const auto& name) {
        std::string out;
        for (const auto& one : all) out += (out.empty() ? "" : ", ") + name(one);
        return out;
    }
    std::string parameters() {
        return joined(parameters_, [&](const Given* g) { return id(g->name); });
    }
    std::string keywords(const std::vector<std::string>& names) {
        return joined(names, [&](const std::string& n) { return n + "=" + n; });
    }
    const Assignment& last() const { return proof_.forward.back(); }
    bool is_asked(const std::string& value) const { return asked_.empty() || asked_.contains(value); }
    bool moves(const Given* g) const { return g->differentiable && is_asked(g->name); }
    std::string class_name() const {
        std::string out;
        for (std::size_t i = 0; i < name_.size(); ++i)
            if (name_[i] != '_')
                out += i == 0 || name_[i - 1] == '_' ? static_cast<char>(std::toupper(static_cast<unsigned char>(name_[i])))
                                                     : name_[i];
        return out;
    }

    std::string sizes() {
        std::string out = "\n\n# Sizes of what is drawn: any will do.\n";
        int next = 3;
        for (const Dim& d : proof_.dims)
            out += fmt::format("{} = {}\n", id(d.name), d.value ? python_.text(unwritten(d.value)) : std::to_string(next++));
        python_.take_used();
        return proof_.dims.empty() ? "" : out;
    }

    std::string value_of(const Given& g) {
        const auto text = [&](const ExprPtr& e) { return python_.text(unwritten(e)); };
        const std::string shape = python_.tuple(g.shape);
        const bool torch = target_ == PythonTarget::torch;
        if (g.value) {
            const std::string value = text(g.value);
            return torch ? value : fmt::format("np.array({}, dtype=float)", value);
        }
        const bool of_rows = g.fill == Fill::onehot || g.fill == Fill::distribution;
        const std::string most = of_rows && !g.shape.empty() ? text(g.shape.back())
                                 : g.fill == Fill::index     ? text(g.parameters[0])
                                                             : "1";
        const std::string rows =
            of_rows && !g.shape.empty() ? python_.tuple(std::vector<ExprPtr>(g.shape.begin(), g.shape.end() - 1)) : shape;
        const auto word = [&](const char* of_torch, const char* of_others) { return fmt::runtime(torch ? of_torch : of_others); };
        if (g.fill == Fill::onehot)
            return fmt::format(word("torch.eye({0})[torch.randint({0}, {1})]", "np.eye({0})[rng.integers({0}, size={1})]"), most,
                               rows);
        if (g.fill == Fill::distribution)
            return torch ? fmt::format("torch.softmax(torch.randn({}), -1)", shape)
                         : fmt::format("rng.dirichlet(np.ones({}), size={})", most, rows);
        if (g.fill == Fill::index) return fmt::format(word("torch.randint({}, {})", "rng.integers({}, size={})"), most, shape);
        if (g.fill == Fill::normal) return fmt::format(word("torch.randn({})", "rng.normal(size={})"), shape);
        if (g.fill == Fill::binary)
            return fmt::format(word("torch.randint(2, {}).to(torch.float64)", "rng.integers(2, size={}).astype(float)"), shape);
        if (g.fill == Fill::signs)
            return fmt::format(word("2 * torch.randint(2, {}).to(torch.float64) - 1", "2.0 * rng.integers(2, size={}) - 1"),
                               shape);
        if (g.fill == Fill::symmetric)
            return fmt::format(word("(lambda a: a + a.T)(torch.randn({}))", "(lambda a: a + a.T)(rng.normal(size={}))"), shape);
        if (g.fill == Fill::definite)
            return fmt::format(word("(lambda a: a @ a.T + torch.eye(a.shape[0]))(torch.randn({}))",
                                    "(lambda a: a @ a.T + np.eye(a.shape[0]))(rng.normal(size={}))"),
                               shape);
        const std::string low = g.fill == Fill::positive ? "0.5" : text(g.parameters[0]);
        const std::string high = g.fill == Fill::positive ? "2.0" : text(g.parameters[1]);
        return fmt::format(word("{0} + ({1} - ({0})) * torch.rand({2})", "rng.uniform({}, {}, {})"), low, high, shape);
    }
    std::string drawn() {
        const bool torch = target_ == PythonTarget::torch;
        std::string out = torch ? "\n\ndef draw(seed):\n    torch.manual_seed(seed)\n"
                                : "\n\ndef draw(seed):\n    rng = np.random.default_rng(seed)\n";
        for (const Given* g : parameters_) {
            const std::string value = value_of(*g);
            const bool type = torch && g->value && value.find("**like") != std::string::npos;
            out += fmt::format("    {} = {}\n", id(g->name), type ? value.substr(0, value.rfind(", **like")) + ")" : value);
        }
        python_.take_used();
        std::vector<std::string> names;
        for (const Given* g : parameters_) names.push_back(id(g->name));
        return out + fmt::format("    return dict({})\n", keywords(names));
    }

    struct Row {
        ExprPtr left, right;
        Axes of;
    };
    std::string id_of(const Expr& value) { return value.kind == Kind::gradient ? names_.gradient(value.name) : id(value.name); }
    /// Row by row, sequences that use each other in one loop; from the last step to the first where they take later ones.
    std::string rows(const std::vector<Row>& all, std::string indent) {
        const std::vector<std::string> indices = indices_of(*all[0].left);
        std::string out, at;
        bool back = false;
        for (const Row& r : all) {
            const Expr& own = *r.left->children[0];
            out += fmt::format("{}{} = {}\n", indent, id_of(own), python_.made("zeros", python_.tuple(r.of)));
            for (const Row& other : all)
                for (const int step : own_steps(*other.right, own)) back = back || step > 0;
        }
        for (std::size_t i = 0; i < indices.size(); ++i) {
            const std::string n = id(indices[i]), size = python_.text(unwritten(known_.size(all[0].of[i])));
            out += fmt::format("{}for {} in {}range({}){}:\n", indent, n, back ? "reversed(" : "", size, back ? ")" : "");
            at += (i > 0 ? ", " : "") + n;
            indent += "    ";
        }
        for (const Row& r : all) {
            const std::vector<std::string> own = indices_of(*r.left);
            ExprPtr e = unwritten(r.right);
            for (std::size_t i = 0; i < own.size(); ++i)
                if (own[i] != indices[i]) e = with_name_as(e, own[i], name(indices[i]));
            const std::string value = python_.row(e, indices), to = id_of(*r.left->children[0]);
            out += target_ == PythonTarget::jax ? fmt::format("{0}{1} = {1}.at[{2}].set({3})\n", indent, to, at, value)
                                                : fmt::format("{}{}[{}] = {}\n", indent, to, at, value);
        }
        return out;
    }
    /// All lines, of the forward or of gradients: (name, left, right) of each.
    std::string statements(std::size_t count, const auto& name_of, const auto& line, const std::string& indent,
                           const auto& after) {
        std::string out;
        for (std::size_t i = 0; i < count;) {
            const std::size_t n = known_.together_from(i, count, name_of);
            std::vector<Row> all;
            for (std::size_t k = i; k < i + n; ++k) all.push_back({line(k).first, line(k).second, known_.axes_of(name_of(k))});
            const bool by_rows = all[0].left->kind == Kind::index && (n > 1 || known_.is_by_rows(*unwritten(all[0].right)));
            out += by_rows ? rows(all, indent) : statement(all[0].left, all[0].of, all[0].right, indent);
            for (std::size_t k = i; k < i + n; ++k) out += after(k);
            i += n;
        }
        return out;
    }

    /// One statement for all entries; a recurrence goes step by step along its axes that are taken from elsewhere.
    std::string statement(const ExprPtr& left, const Axes& of, const ExprPtr& right, std::string indent) {
        const ExprPtr e = unwritten(right);
        const std::vector<std::string> indices = indices_of(*left);
        const Expr& own = indices.empty() ? *left : *left->children[0];
        const std::string name = id_of(own);
        if (indices.empty() && e->kind == Kind::number && !of.empty()) {  // what does not reach the loss
            const std::string zeros = python_.made("zeros", python_.tuple(of));
            return fmt::format("{}{} = {}\n", indent, name, e->number == 0 ? zeros : zeros + " + " + python_.text(e));
        }
        if (indices.empty()) return fmt::format("{}{} = {}\n", indent, name, python_.text(e));
        const std::vector<int> steps = own_steps(*e, own);
        if (steps.empty()) {
            const PythonText::Entries all = python_.entries(e, indices, {}, of, indent);
            return all.grid + fmt::format("{}{} = {}\n", indent, name, all.value);
        }
        std::string out = fmt::format("{}{} = {}\n", indent, name, python_.made("zeros", python_.tuple(of))), at;
        std::vector<std::string> looped;
        for (std::size_t i = 0; i < indices.size(); ++i) {
            at += i > 0 ? ", " : "";
            if (steps[i] == 0) {
                at += ":";
                continue;
            }
            const std::string n = id(indices[i]), size = python_.text(unwritten(known_.size(of[i])));
            out += fmt::format("{}for {} in {}range({}){}:\n", indent, n, steps[i] > 0 ? "reversed(" : "", size,
                               steps[i] > 0 ? ")" : "");
            at += n;
            looped.push_back(indices[i]);
            indent += "    ";
        }
        while (at.ends_with(", :")) at.resize(at.size() - 3);
        const PythonText::Entries one = python_.entries(e, indices, looped, of, indent);
        return out + one.grid +
               (target_ == PythonTarget::jax ? fmt::format("{0}{1} = {1}.at[{2}].set({3})\n", indent, name, at, one.value)
                                             : fmt::format("{}{}[{}] = {}\n", indent, name, at, one.value));
    }

    bool shown(const std::string& size) const {
        return std::ranges::any_of(parameters_, [&](const Given* g) {
            return std::ranges::any_of(g->shape, [&](const ExprPtr& e) { return e->kind == Kind::name && e->name == size; });
        });
    }
    /// Before the lines of a body: sizes from the shapes where they stand there, and constants that the proof states. What these
    /// use is added to what the body does.
    std::string opening(std::set<std::string>& used, const std::string& indent, const std::string& like_what) {
        std::string constants, computed, sizes;
        for (std::size_t i = proof_.given.size(); i-- > 0;) {
            const Given& g = proof_.given[i];
            if (!g.value || g.differentiable || !used.contains(g.name)) continue;
            constants = fmt::format("{}{} = {}\n", indent, id(g.name), python_.text(unwritten(g.value))) + constants;
            used.merge(python_.take_used());
        }
        for (std::size_t i = proof_.dims.size(); i-- > 0;) {
            const Dim& d = proof_.dims[i];
            if (!d.value || !used.contains(d.name) || shown(d.name)) continue;
            computed = fmt::format("{}{} = {}\n", indent, id(d.name), python_.text(unwritten(d.value))) + computed;
            used.merge(python_.take_used());
        }
        std::set<std::string> known;
        for (const Given* g : parameters_)
            for (std::size_t a = 0; a < g->shape.size(); ++a)
                if (const Expr& e = *g->shape[a]; e.kind == Kind::name && used.contains(e.name) && known.insert(e.name).second)
                    sizes += fmt::format("{}{} = {}.shape[{}]\n", indent, id(e.name), id(g->name), a);
        const bool like = python_.take_uses_type() && target_ == PythonTarget::torch;
        return sizes + computed +
               (like ? fmt::format("{0}like = dict(dtype={1}.dtype, device={1}.device)\n", indent, like_what) : "") + constants;
    }
    const std::string& first_array() {
        const auto real = std::ranges::find_if(parameters_, [](const Given* g) { return g->fill != Fill::index; });
        return id((real == parameters_.end() ? parameters_[0] : *real)->name);
    }

    struct Body {
        std::string lines;  ///< and what stands before them
        std::set<std::string> used;
    };
    Body forward_lines(const std::string& indent) {
        Body out;
        const std::vector<Assignment>& f = proof_.forward;
        const auto line = [&](std::size_t i) { return std::pair{left_of(f[i]), f[i].value}; };
        const auto moved = [&](std::size_t i) {
            return target_ == PythonTarget::numpy ? fmt::format("{0}{1} = moved.get(\"{1}\", {1})\n", indent, id(f[i].name)) : "";
        };
        out.lines = statements(
            f.size(), [&](std::size_t i) { return f[i].name; }, line, indent, moved);
        out.used = python_.take_used();
        out.lines = opening(out.used, indent, first_array()) + out.lines;
        return out;
    }
    Body backward_lines(const std::string& indent) {
        Body out;
        const std::vector<DerivedLine>& d = derivation_.lines;
        const auto line = [&](std::size_t i) { return std::pair{d[i].left, d[i].right}; };
        const auto nothing = [](std::size_t) { return std::string(); };
        out.lines = statements(
            d.size(), [&](std::size_t i) { return d[i].name; }, line, indent, nothing);
        out.used = python_.take_used();
        out.lines = opening(out.used, indent, gradient_of_last()) + out.lines;
        return out;
    }
    /// What the backward needs of the forward.
    std::vector<std::string> saved(const Body& backward) {
        std::set<std::string> sizes = backward.used;
        std::vector<std::string> out;
        for (const Given* g : parameters_) {
            const bool shows_a_size = std::ranges::any_of(g->shape, [&](const ExprPtr& s) { return mentions_any_of(*s, sizes); });
            if (backward.used.contains(g->name) || shows_a_size) out.push_back(id(g->name));
        }
        for (const Assignment& a : proof_.forward)
            if (backward.used.contains(a.name)) out.push_back(id(a.name));
        if (out.empty()) out.push_back(id(parameters_.at(0)->name));
        return out;
    }
    static bool mentions_any_of(const Expr& e, const std::set<std::string>& names) {
        return any_part(e, [&](const Expr& part) { return part.kind == Kind::name && names.contains(part.name); });
    }
    /// dQ, dK, None: a gradient for each parameter.
    std::string gradients(const std::string& times) {
        return joined(parameters_, [&](const Given* g) { return moves(g) ? names_.gradient(g->name) + times : "None"; });
    }
    std::string gradient_of_last() { return names_.gradient(last().name); }
    std::string functions() {
        switch (target_) {
            case PythonTarget::numpy: return numpy();
            case PythonTarget::torch: return torch();
            default: return jax();
        }
    }

    std::string numpy() {
        const Body f = forward_lines("    "), b = backward_lines("    ");
        std::vector<std::string> values, found;
        for (const Assignment& a : proof_.forward) values.push_back(id(a.name));
        for (const DerivedLine& l : derivation_.lines)
            if (is_asked(l.name)) found.push_back(names_.gradient(l.name));
        std::string out = fmt::format("\n\ndef forward({}, moved={{}}):\n", parameters()) + f.lines;
        out += fmt::format("    return dict({})\n", keywords(values));
        out += fmt::format("\n\ndef backward({}, {}{}):\n", parameters(), fmt::join(values, ", "),
                           last().is_loss ? "" : ", " + gradient_of_last());
        return out + b.lines + fmt::format("    return dict({})\n", keywords(found));
    }
    std::string torch() {
        const std::string indent = "        ";
        const Body f = forward_lines(indent);
        const Body b = backward_lines(indent);
        const std::vector<std::string> kept = saved(b);
        const std::string list = fmt::format("{}", fmt::join(kept, ", "));
        return fmt::format("\n\nclass {}(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, {}):\n", class_name(),
                           parameters()) +
               f.lines + fmt::format("        ctx.save_for_backward({})\n        return {}\n", list, id(last().name)) +
               fmt::format(
                   "\n    @staticmethod\n    @once_differentiable\n    def backward(ctx, {}):\n        {}{} = "
                   "ctx.saved_tensors\n",
                   gradient_of_last(), list, kept.size() == 1 ? "," : "") +
               b.lines + fmt::format("        return {}\n", gradients(last().is_loss ? " * " + gradient_of_last() : ""));
    }
    std::string jax() {
        const Body f = forward_lines("    "), b = backward_lines("    ");
        const std::vector<std::string> kept = saved(b);
        const std::string list = fmt::format("{}{}", fmt::join(kept, ", "), kept.size() == 1 ? "," : "");
        std::string out =
            fmt::format("\n\n@jax.custom_vjp\ndef {0}({1}):\n    return {0}_forward({1})[0]\n", name_, parameters());
        out += fmt::format("\n\ndef {}_forward({}):\n", name_, parameters()) + f.lines +
               fmt::format("    return {}, ({})\n", id(last().name), list);
        out += fmt::format("\n\ndef {}_backward(saved, {}):\n    {} = saved\n", name_, gradient_of_last(), list) + b.lines +
               fmt::format("    return {}{}\n", gradients(last().is_loss ? " * " + gradient_of_last() : ""),
                           parameters_.size() == 1 ? "," : "");
        return out + fmt::format("\n\n{0}.defvjp({0}_forward, {0}_backward)\n", name_);
    }

    /// One value, and the lines of the forward that it is computed from.
    std::string function(const std::string& name, const std::string& more_parameters, const std::string& value) {
        const std::vector<Assignment>& all = proof_.forward;
        std::set<std::string> wanted{value};
        std::vector<const Assignment*> f;
        for (std::size_t i = all.size(); i-- > 0;) {
            if (!wanted.contains(all[i].name)) continue;
            for_each(*all[i].value, [&](const Expr& e) {
                if (e.kind == Kind::name) wanted.insert(e.name);
            });
            f.insert(f.begin(), &all[i]);
        }
        std::string lines = statements(
            f.size(), [&](std::size_t i) { return f[i]->name; },
            [&](std::size_t i) {
                return std::pair{left_of(*f[i]), f[i]->value};
            },
            "    ", [](std::size_t) { return ""; });
        std::set<std::string> used = python_.take_used();
        lines = opening(used, "    ", first_array()) + lines;
        return fmt::format("\n\ndef {}({}{}):\n{}    return {}\n", name, parameters(), more_parameters, lines, id(value));
    }

    /// What leads to its own later entries cannot be moved all at once.
    std::string recurrences() {
        std::vector<std::string> names;
        for (const Assignment& a : proof_.forward)
            if (a.is_recurrence()) names.push_back("\"" + names_.gradient(a.name) + "\"");
        return names.empty() ? ""
                             : fmt::format("        if name in [{}]:\n            continue  # moves its own later steps\n",
                                           fmt::join(names, ", "));
    }

    std::string check() {
        std::vector<std::string> moving;
        for (const Given* g : parameters_)
            if (moves(g)) moving.push_back("\"" + id(g->name) + "\"");
        const std::string moved = fmt::format("{}", fmt::join(moving, ", "));
        if (target_ == PythonTarget::torch) return check_by_gradcheck(class_name(), moved);
        if (target_ == PythonTarget::jax) return check_by_check_grads(name_, moved);
        const std::string end = id(last().name);
        if (last().is_loss) return check_by_differences(end, "weights = 1.0", "", recurrences());
        const std::string drawn =
            fmt::format("weights = np.random.default_rng(seed + 100).normal(size=np.shape(values[\"{}\"]))", end);
        return check_by_differences(end, drawn, fmt::format(", {}=weights", gradient_of_last()), recurrences());
    }

    PythonTarget target_;
    const std::set<std::string> asked_;  ///< all, if empty
    const Proof proof_;
    const Derivation derivation_;
    const Known known_;
    Identifiers names_;
    PythonText python_;
    std::string name_;
    std::vector<const Given*> parameters_;
};

}  // namespace

std::string to_python(const Proof& proof, PythonTarget target, const DeriveOptions& options, const Control& control) {
    return Program(proof, target, options, control).text();
}

std::string to_python_hessian(const Proof& proof, const std::string& of, PythonTarget target, const DeriveOptions& options,
                              const Control& control) {
    const SecondOrder second = second_order(proof, of, options, control);
    return Program(second, proof, target).text_of_second(second);
}

}  // namespace gradproof::proof
