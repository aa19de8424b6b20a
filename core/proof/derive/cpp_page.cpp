// The page around the expressions: sizes, forward, backward, samples.
#include <algorithm>
#include <cctype>

#include <fmt/ranges.h>

#include "gradproof/core/proof/derive/cpp.hpp"
#include "gradproof/core/proof/derive/cpp_text.hpp"
#include "gradproof/core/proof/language/edits.hpp"

namespace gradproof::proof {
namespace {

/// Words of C++ and of core/algebra.hpp, and those that the page has itself, but for its helpers.
const std::vector<std::string_view> kReserved{
    "alignas", "and",      "asm",        "auto",     "bool",        "break",     "case",     "catch",    "char",     "class",
    "const",   "continue", "default",    "delete",   "do",          "double",    "else",     "enum",     "explicit", "export",
    "extern",  "false",    "float",      "for",      "friend",      "goto",      "if",       "inline",   "int",      "long",
    "mutable", "new",      "not",        "operator", "or",          "private",   "public",   "register", "return",   "short",
    "signed",  "sizeof",   "static",     "struct",   "switch",      "template",  "this",     "throw",    "true",     "try",
    "typedef", "typename", "union",      "unsigned", "using",       "virtual",   "void",     "volatile", "while",    "xor",
    "Arg",     "Axes",     "Cotangents", "Element",  "ErrorSample", "Index",     "Inputs",   "Matrix",   "Sample",   "Saved",
    "Scalar",  "Shape",    "Sizes",      "Tensor",   "std",         "attrs",     "backward", "constant", "dx",       "dy",
    "entry",   "equal",    "forward",    "in",       "info",        "mT",        "matmul",   "number",   "part",     "samples",
    "saved",   "sizes",    "sizes_of",   "take",     "total",       "transpose", "where",    "whole",    "turned",   "zeros",
    "ones",    "square",   "power",      "step",     "sign",        "length",    "joined",   "each",     "name",     "shape",
    "y0",      "y1",       "j0",         "j1",       "jn",          "yn",        "gamma",    "signal",   "time",     "link"};

std::vector<std::string_view> reserved_in_cpp() {
    std::vector<std::string_view> out = kReserved;
    std::ranges::copy(cpp_helper_names(), std::back_inserter(out));
    return out;
}

/// Constants that are drawn as inputs, whose gradients a page has to give too.
Proof with_all_inputs(const Proof& given) {
    Proof p = ending_in_a_value(given);
    for (Given& g : p.given)
        if (!g.value && g.fill != Fill::index) g.differentiable = true;
    return p;
}

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return out + "\"";
}

std::string op_name_of(const Proof& proof) {
    const std::string stem = file_stem(proof);
    return registry().has(stem) ? "derived_" + stem : stem;
}

class Page {
  public:
    Page(const Proof& proof, const DeriveOptions& options, const Control& control)
        : original_(proof),
          proof_(with_all_inputs(proof)),
          derivation_(derive(proof_, options, control)),
          known_(proof_),
          names_(reserved_in_cpp()),
          cpp_(known_, names_) {
        for (const Given& g : proof_.given) {
            if (g.fill == Fill::index) {
                cpp_.of_places.insert(g.name);
                attributes_.push_back(g.name);
            } else if (!g.value || g.differentiable) {
                inputs_.push_back(&g);
            }
        }
        for (const Underived& m : derivation_.missing) value_error("cpp: no backward without ∂L/∂{}: {}", m.name, m.reason);
        if (inputs_.empty()) value_error("cpp: an op has inputs, and nothing is drawn here");
        for (const Dim& d : proof_.dims) names_.of(d.name);
    }

    std::string text() {
        const std::string sizes = sizes_of(), forward = forward_of(), backward = backward_of(), name = op_name_of(original_);
        const std::string title = proof_.title.empty() ? name : printable(proof_.title);
        std::string out = fmt::format(
            "// {}: forward and backward, derived from {}.\n"
            "// A plugin is built of it by gradproof_add_op({} {}.cpp) in a CMakeLists.txt.\n"
            "#include <cmath>\n\n#include \"gradproof/core/algebra.hpp\"\n#include \"gradproof/core/elimination.hpp\"\n"
            "#include \"gradproof/core/registry.hpp\"\n\nnamespace {{\n\nusing namespace gradproof;\n\n",
            title, printable(original_.source->file()), name, name);
        out += cpp_helpers(cpp_.helpers());
        out += fmt::format("struct {} {{\n", struct_name(name)) + info(name) + attributes() + saved() + sizes + forward +
               backward + samples(struct_name(name));
        return out + fmt::format("}};\nGRADPROOF_OP({});\n\n}}  // namespace\n", struct_name(name));
    }

  private:
    static std::string struct_name(const std::string& name) {
        std::string out;
        for (std::size_t i = 0; i < name.size(); ++i) {
            if (name[i] == '_') continue;
            const bool starts = i == 0 || name[i - 1] == '_';
            out += starts ? static_cast<char>(std::toupper(static_cast<unsigned char>(name[i]))) : name[i];
        }
        return out + "Op";
    }
    bool is_loss() const { return proof_.forward.back().is_loss; }
    const Axes& axes(std::size_t input) const { return known_.axes_of(inputs_[input]->name); }
    const std::string& last() const { return proof_.forward.back().name; }

    std::string info(const std::string& name) {
        std::string inputs, forward, backward, saves;
        for (const Given* g : inputs_) inputs += (inputs.empty() ? "" : " ") + names_.of(g->name);
        for (const Assignment& a : proof_.forward)
            forward += fmt::format("{}{} = {}", forward.empty() ? "" : "; ", text_of(*left_of(a)), text_of(*unwritten(a.value)));
        for (const DerivedLine& l : derivation_.lines) backward += (backward.empty() ? "" : "; ") + l.text;
        for (const std::string& s : saved_) saves += (saves.empty() ? "" : " ") + names_.of(s);
        return fmt::format(
            "    static constexpr OpInfo info{{\n        .name = \"{}\",\n        .inputs = \"{}\",\n        .forward = {},\n"
            "        .backward = {},\n        .saves = \"{}\",\n        .source = \"derived by gradproof\",\n    }};\n",
            name, inputs, quoted(forward), quoted(backward), saves);
    }

    std::string attributes() {
        if (attributes_.empty()) return "    using Attrs = NoFields;\n";
        std::string fields, visits;
        for (const std::string& a : attributes_) {
            const std::string n = names_.of(a);
            fields += cpp_.of_places.contains(a) ? fmt::format("        Tensor<Index> {};\n", n)
                                                 : fmt::format("        Index {} = 1;\n", n);
            visits += fmt::format(" f(\"{0}\", a.{0});", n);
        }
        return fmt::format("    struct Attrs {{\n{}        static void fields(auto& a, auto&& f) {{{} }}\n    }};\n", fields,
                           visits);
    }

    std::string saved() {
        std::string fields, visits;
        for (const std::string& s : saved_) {
            fields += (fields.empty() ? "" : ", ") + names_.of(s);
            visits += fmt::format(" f(\"{0}\", s.{0});", names_.of(s));
        }
        if (saved_.empty()) return "    template <Scalar Element>\n    using Saved = NoFields;\n\n";
        return fmt::format(
            "    template <Scalar Element>\n    struct Saved {{\n        Tensor<Element> {};\n"
            "        static void fields(auto& s, auto&& f) {{{} }}\n    }};\n\n",
            fields, visits);
    }

    /// From the shapes of inputs, which it checks; what follows from none of them is an attribute.
    std::string sizes_of() {
        std::string names, body;
        std::set<std::string> known;
        for (std::size_t i = 0; i < inputs_.size(); ++i)
            body += fmt::format(
                "        if (shape({0}).rank() != {1}) shape_error(\"{{}}: {2} is {{}}, expected {1} axes\", info.name, "
                "shape({0}));\n",
                i, axes(i).size(), names_.of(inputs_[i]->name));
        const auto define = [&](const std::string& d, const std::string& value) {
            if (!known.insert(d).second) return;
            body += fmt::format("        const Index {} = {};\n", names_.of(d), value);
        };
        for (std::size_t i = 0; i < inputs_.size(); ++i)
            for (std::size_t a = 0; a < inputs_[i]->shape.size(); ++a)
                if (const Expr& e = *inputs_[i]->shape[a]; e.kind == Kind::name && !dim(e.name).value)
                    define(e.name, fmt::format("shape({})[{}]", i, a));
        for (const Dim& d : proof_.dims) {
            if (!d.value && !known.contains(d.name)) attributes_.push_back(d.name);
            define(d.name, d.value ? cpp_.whole(unwritten(d.value)) : "attrs." + names_.of(d.name));
        }
        cpp_.take_used();
        for (std::size_t i = 0; i < inputs_.size(); ++i)
            body += fmt::format(
                "        if (const Shape expected = {0}; !(shape({1}) == expected))\n"
                "            shape_error(\"{{}}: {2} is {{}}, expected {{}}\", info.name, shape({1}), expected);\n",
                cpp_.shape(axes(i)), i, names_.of(inputs_[i]->name));
        cpp_.take_used();
        std::string fields;
        for (const Dim& d : proof_.dims) {
            fields += (fields.empty() ? "" : ", ") + names_.of(d.name);
            names += (names.empty() ? "" : ", ") + names_.of(d.name);
        }
        if (!fields.empty()) fields = "        Index " + fields + ";\n";
        return fmt::format(
            "    struct Sizes {{\n{}    }};\n    /// shape(i) is that of input i.\n"
            "    static Sizes sizes_of([[maybe_unused]] const Attrs& attrs, const auto& shape) {{\n{}        return {{{}}};\n    "
            "}}\n\n",
            fields, body, names);
    }
    const Dim& dim(const std::string& name) const { return *std::ranges::find(proof_.dims, name, &Dim::name); }

    struct Line {
        std::string name;
        ExprPtr left, right;
    };
    /// Lines of the forward or of gradients, those of a block in one loop.
    std::string statements(const std::vector<Line>& lines, const std::string& indent) {
        std::string out;
        for (std::size_t i = 0; i < lines.size();) {
            const std::size_t n = known_.together_from(i, lines.size(), [&](std::size_t k) { return lines[k].name; });
            const auto first = lines.begin() + static_cast<std::ptrdiff_t>(i);
            out += n == 1 ? statement(first->left, known_.axes_of(first->name), first->right, indent)
                          : in_steps({first, first + static_cast<std::ptrdiff_t>(n)}, indent);
            i += n;
        }
        return out;
    }
    /// Row by row; from the last step to the first where later ones are taken.
    std::string in_steps(const std::vector<Line>& all, const std::string& indent) {
        const std::vector<std::string> indices = indices_of(*all[0].left);
        std::string out, loops, at, deeper = indent;
        bool back = false;
        for (const Line& l : all) {
            const Expr& own = *l.left->children[0];
            out += fmt::format("{}Tensor<Element> {}({}, Element(0));\n", indent, id_of(own), cpp_.shape(known_.axes_of(l.name)));
            for (const Line& other : all)
                for (const int step : own_steps(*other.right, own)) back = back || step > 0;
        }
        for (std::size_t i = 0; i < indices.size(); ++i) {
            loops += deeper + loop(indices[i], known_.axes_of(all[0].name)[i], back);
            at += (i > 0 ? ", " : "") + names_.of(indices[i]);
            deeper += "    ";
        }
        out += loops.substr(0, loops.size() - 1) + " {\n";
        for (const Line& l : all) {
            const std::vector<std::string> own = indices_of(*l.left);
            ExprPtr e = unwritten(l.right);
            for (std::size_t i = 0; i < own.size(); ++i)
                if (own[i] != indices[i]) e = with_name_as(e, own[i], name(indices[i]));
            out += deeper + put(id_of(*l.left->children[0]), at, e, indices);
        }
        return out + deeper.substr(4) + "}\n";
    }
    std::string id_of(const Expr& value) {
        return value.kind == Kind::gradient ? names_.gradient(value.name) : names_.of(value.name);
    }
    std::string loop(const std::string& index, const AxisSize& along, bool back) {
        const std::string n = names_.of(index), size = cpp_.whole(unwritten(known_.size(along)));
        return back ? fmt::format("for (Index {0} = {1}; {0}-- > 0;)\n", n, size)
                    : fmt::format("for (Index {0} = 0; {0} < {1}; ++{0})\n", n, size);
    }
    /// Sets the entry or row of these indices.
    std::string put(const std::string& to, const std::string& at, const ExprPtr& e, const std::vector<std::string>& indices) {
        if (!known_.is_by_rows(*e)) return fmt::format("{}.at({{{}}}) = Element({});\n", to, at, cpp_.entry(e, indices));
        cpp_.use_helper("put");
        return fmt::format("put({}, {{{}}}, {});\n", to, at, cpp_.row(e, indices));
    }

    /// One statement, or loops over the entries of index form; what takes entries further on begins at the end.
    std::string statement(const ExprPtr& left, const Axes& of, const ExprPtr& right, const std::string& indent) {
        const ExprPtr e = unwritten(right);
        const std::vector<std::string> indices = indices_of(*left);
        const Expr& own = indices.empty() ? *left : *left->children[0];
        const std::string name = id_of(own);
        if (indices.empty()) return fmt::format("{}const Tensor<Element> {} = {};\n", indent, name, cpp_.tensor(e));
        const std::vector<int> steps = own_steps(*e, own);
        std::string loops, at, deeper = indent;
        for (std::size_t i = 0; i < indices.size(); ++i) {
            loops += deeper + loop(indices[i], of[i], i < steps.size() && steps[i] > 0);
            at += (i > 0 ? ", " : "") + names_.of(indices[i]);
            deeper += "    ";
        }
        return fmt::format("{}Tensor<Element> {}({}, Element(0));\n{}{}{}", indent, name, cpp_.shape(of), loops, deeper,
                           put(name, at, e, indices));
    }

    /// Sizes, inputs and attributes that a body uses.
    std::string opening(const std::set<std::string>& used, bool forward) {
        std::string sizes, out;
        for (const Dim& d : proof_.dims)
            if (used.contains(d.name)) sizes += fmt::format("        const Index {0} = sizes.{0};\n", names_.of(d.name));
        const std::string shape = forward ? "in[i].shape()" : "dx.shape(i)";
        if (!sizes.empty() || forward)
            out += fmt::format("        {}sizes_of(attrs, [&](int i) {{ return {}; }});\n",
                               sizes.empty() ? "" : "const Sizes sizes = ", shape);
        out += sizes;
        for (const Given& g : proof_.given) {
            const auto input = std::ranges::find(inputs_, &g);
            const bool is_place = cpp_.of_places.contains(g.name);
            if (!used.contains(g.name) || (input == inputs_.end() && !is_place)) continue;
            out += is_place ? fmt::format("        const Tensor<Index>& {0} = attrs.{0};\n", names_.of(g.name))
                   : forward
                       ? fmt::format("        const Tensor<Element>& {} = in[{}];\n", names_.of(g.name), input - inputs_.begin())
                       : fmt::format("        const Tensor<Element>& {0} = saved.{0};\n", names_.of(g.name));
        }
        return out;
    }
    /// Constants that a proof states.
    std::string stated(std::set<std::string>& used) {
        std::string out;
        for (std::size_t i = proof_.given.size(); i-- > 0;) {
            const Given& g = proof_.given[i];
            if (!g.value || g.differentiable || !used.contains(g.name)) continue;
            out = statement(name(g.name), {}, g.value, "        ") + out;
            used.merge(cpp_.take_used());
        }
        return out;
    }

    std::string forward_of() {
        std::vector<Line> all;
        for (const Assignment& a : proof_.forward) all.push_back({a.name, left_of(a), a.value});
        const std::string lines = statements(all, "        ");
        forward_used_ = cpp_.take_used();
        const std::string constants = stated(forward_used_);
        plan_backward();
        for (const std::string& s : saved_) forward_used_.insert(s);
        std::string out =
            "    template <Scalar Element>\n"
            "    static Tensor<Element> forward([[maybe_unused]] const Attrs& attrs, Inputs<Element> in, [[maybe_unused]] "
            "Saved<Element>& "
            "saved) {\n" +
            fmt::format("        expect_inputs(info, in, {});\n", inputs_.size()) + opening(forward_used_, true) + constants +
            lines;
        for (const std::string& s : saved_) out += fmt::format("        saved.{0} = {0};\n", names_.of(s));
        return out + fmt::format("        return {};\n    }}\n\n", names_.of(last()));
    }

    /// The lines of the backward, and what they save.
    void plan_backward() {
        std::vector<Line> values;
        for (const DerivedLine& l : derivation_.lines)
            if (std::ranges::none_of(inputs_, [&](const Given* g) { return g->name == l.name; }))
                values.push_back({l.name, l.left, l.right});
        backward_ = statements(values, "        ");
        for (const DerivedLine& l : derivation_.lines) {
            const auto input = std::ranges::find(inputs_, l.name, [](const Given* g) { return g->name; });
            if (input == inputs_.end()) continue;
            const std::string one = statement(l.left, known_.axes_of(l.name), l.right, "            ");
            backward_ += fmt::format("        if (dx.needs({0})) {{\n{1}            dx.add({0}, {2}{3});\n        }}\n",
                                     input - inputs_.begin(), one, names_.gradient(l.name), is_loss() ? " * dy" : "");
        }
        backward_used_ = cpp_.take_used();
        backward_constants_ = stated(backward_used_);
        for (const Given* g : inputs_)
            if (backward_used_.contains(g->name)) saved_.push_back(g->name);
        for (const Assignment& a : proof_.forward)
            if (backward_used_.contains(a.name)) saved_.push_back(a.name);
    }

    std::string backward_of() {
        std::string out =
            "    template <Scalar Element>\n"
            "    static void backward([[maybe_unused]] const Attrs& attrs, [[maybe_unused]] const Saved<Element>& saved, const "
            "Tensor<Element>& dy, Cotangents<Element> dx) {\n" +
            opening(backward_used_, false);
        for (const Assignment& a : proof_.forward)
            if (backward_used_.contains(a.name))
                out += fmt::format("        const Tensor<Element>& {0} = saved.{0};\n", names_.of(a.name));
        if (!is_loss()) out += fmt::format("        [[maybe_unused]] const Tensor<Element>& {} = dy;\n", names_.gradient(last()));
        return out + backward_constants_ + backward_ + "    }\n\n";
    }

    std::string attributes_of(const Instance& draw) {
        std::string out;
        for (const std::string& a : attributes_) {
            const bool is_place = cpp_.of_places.contains(a);
            const Tensor<double> ids = is_place ? draw.scope().values.at(a).value() : Tensor<double>();
            const std::string value = is_place ? fmt::format("Tensor<Index>::from({{{}}}, {{{}}})", fmt::join(ids.shape(), ", "),
                                                             fmt::join(cast<Index>(ids), ", "))
                                               : std::to_string(draw.sizes().at(a));
            out += fmt::format("{}.{} = {}", out.empty() ? "" : ", ", names_.of(a), value);
        }
        return "{" + out + "}";
    }
    /// The inputs of a draw, as they are filled, or of these shapes alone, the first with an axis more.
    std::string arguments_of(const Instance& draw, bool axis_more = false) {
        std::string out;
        for (const Given* g : inputs_) {
            const Tensor<double>& x = draw.scope().values.at(g->name).value();
            Shape shape = x.shape();
            if (axis_more && out.empty()) shape.push_back(2);
            out += out.empty() ? "" : ", ";
            if (axis_more || g->fill == Fill::normal)
                out += fmt::format("Arg(Shape{{{}}})", fmt::join(shape, ", "));
            else if (g->fill == Fill::positive)
                out += fmt::format("Arg(Shape{{{}}}, Distribution::positive)", fmt::join(shape, ", "));
            else
                out += fmt::format("Tensor<double>::from({{{}}}, {{{}}})", fmt::join(shape, ", "), fmt::join(x, ", "));
        }
        return out;
    }
    /// Of sizes that are drawn, of others, and with each size 1 that leaves of every gradient more than what cancels.
    std::string samples(const std::string& op) {
        std::string out = fmt::format("    static std::vector<Sample<{}>> samples() {{\n        return {{\n", op);
        const Plan plan(proof_);
        const auto add = [&](const std::string& name, const InstanceOptions& options, int number) {
            try {
                Instance draw(proof_, plan, options, number);
                for (const Given* g : inputs_) {
                    const Tensor<double> gradient = draw.gradient(g->name).value;
                    if (std::ranges::none_of(gradient, [](double v) { return std::abs(v) > 0.01; })) return;
                }
                out += fmt::format("            {{\"{}\", {}, {{{}}}}},\n", name, attributes_of(draw), arguments_of(draw));
            } catch (const std::invalid_argument&) {  // not of this size
            }
        };
        add("sizes that differ", {}, 0);
        add("other sizes", {}, 1);
        for (const Dim& d : proof_.dims)
            if (!d.value && !is_loss()) add(names_.of(d.name) + " is 1", {.sizes = {{d.name, 1}}}, 0);
        const Instance draw(proof_, plan, {}, 0);
        return out + fmt::format(
                         R"page(        }};
    }}
    static std::vector<ErrorSample<{0}>> error_samples() {{
        return {{
            {{"one input more", {1}, {{Arg(Shape{{}}), {2}}}, "takes {3} input"}},
            {{"an axis more", {1}, {{{4}}}, "expected {5} axes"}},
        }};
    }}
)page",
                         op, attributes_of(draw), arguments_of(draw), inputs_.size(), arguments_of(draw, true), axes(0).size());
    }

    const Proof& original_;
    const Proof proof_;
    const Derivation derivation_;
    const Known known_;
    Identifiers names_;
    CppText cpp_;
    std::vector<const Given*> inputs_;
    std::vector<std::string> attributes_, saved_;
    std::set<std::string> forward_used_, backward_used_;
    std::string backward_, backward_constants_;
};

}  // namespace

std::string to_cpp(const Proof& proof, const DeriveOptions& options, const Control& control) {
    return Page(proof, options, control).text();
}

}  // namespace gradproof::proof
