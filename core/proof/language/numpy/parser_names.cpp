// Names in expressions of NumPy and its like: values, gradients, functions of modules, attributes.

#include <fmt/format.h>

#include "gradproof/core/proof/language/axis_names.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/edits.hpp"
#include "gradproof/core/proof/language/numpy/gradient_names.hpp"
#include "gradproof/core/proof/language/numpy/integers.hpp"
#include "gradproof/core/proof/language/numpy/parser.hpp"
#include "gradproof/core/proof/language/numpy/rebound.hpp"

namespace gradproof::proof::numpy {
namespace {

Library library_of(std::string_view module) {
    if (module == "scipy" || module == "special") return Library::scipy;
    if (module == "jax" || module == "jnp") return Library::jax;
    if (module == "tf") return Library::tensorflow;
    if (module == "np" || module == "numpy") return Library::numpy;
    return module == "torch" || module == "functional" || module == "F" ? Library::torch : Library::unsaid;
}

Library library_of(std::string_view module, const FileNames* file) {
    if (file && file->of_jax.contains(module)) return Library::jax;
    return file && file->of_tensorflow.contains(module) ? Library::tensorflow : library_of(module);
}

}  // namespace

std::string value_of_gradient(std::string_view name, const Names& names, const FileNames* file) {
    if (names.defined(name)) return "";
    if (file)
        if (const auto told = file->gradients.find(name); told != file->gradients.end()) return told->second;
    if (const auto x = value_named_in(name, [&](std::string_view text) { return names.values.contains(text); }); !x.empty())
        return std::string(x);
    // mean of x, mean = cache, which stands for a value that the forward calls otherwise.
    const auto value_kept = [&](std::string_view text) -> std::string {
        const ExprPtr kept = file && !text.empty() ? file->saved.find(text) : nullptr;
        return kept && kept->kind == Kind::name && names.values.contains(kept->name) ? kept->name : "";
    };
    if (const auto x = value_named_in(name, [&](std::string_view text) { return !value_kept(text).empty(); }); !x.empty())
        return value_kept(x);
    const bool of_result = file && names_upstream(name);
    return of_result ? file->returned : "";
}

std::string gradient_kept(const Place& place, const std::string& member, const Names& names, const FileNames* file) {
    if (holds_gradients(place.owner) && names.values.contains(member)) return member;
    return value_of_gradient(member, names, file);
}

ExprPtr Parser::name_or_call(std::size_t begin) {
    if (const ExprPtr e = draw_here()) return e;
    std::string_view name = word();
    if (name.empty()) fail(at_, "expected a name, a number, a function or an opening bracket");
    if (const ExprPtr e = name_of_function(name)) return e;
    if (const auto local = file_ && !scope_ ? file_->locals.find(name) : decltype(file_->locals.end()){};
        file_ && !scope_ && local != file_->locals.end()) {
        parts_ += parts_of(*local->second);
        const ExprPtr out = marked_as(*local->second, finish(begin, local->second));
        return file_->conditions.contains(name) ? as_condition(out) : out;
    }
    bool of_module = false;
    Library library = Library::unsaid;
    while (is_module(name) && !names_.defined(name) && take(".")) {
        if (library == Library::unsaid || library == Library::numpy) library = library_of(name, file_);
        name = word();
        of_module = true;
    }
    const std::string text(name);
    if (scope_ && !of_module) expect_given(begin, text);
    if (file_ && file_->used && !scope_ && !of_module &&
        (names_.defined(text) || !value_of_gradient(text, names_, file_).empty()))
        file_->used(text, begin);
    if (!of_module && file_ && file_->of_scipy.contains(text)) library = Library::scipy;
    if (!of_module && file_ && (file_->of_jax.contains(text) || file_->of_tensorflow.contains(text)))
        library = library_of(text, file_);
    if (of_module || !names_.defined(text)) {
        if (const ExprPtr e = of_module ? nullptr : kept(begin, text)) {
            parts_ += parts_of(*e);
            const ExprPtr out = marked_as(*e, finish(begin, e));
            const std::optional<Place> place = place_of(source_, {begin, at_});
            const bool condition = file_->conditions.contains(text) || (place && file_->conditions.contains(place->key));
            return condition ? as_condition(out) : out;
        }
        const OwnFunction* const own = of_module || !file_ || !file_->own ? nullptr : file_->own->find(text);
        if (own && take("(")) return own_called(*own, arguments(), begin);
        if (text == "einsum" && take("(")) return einsum(begin);
        if (const ExprPtr e = text == "float" ? infinity_in_quotes(begin) : nullptr) return e;
        if (take("(")) {
            Arguments given = arguments();
            // Python's own adds up along the first axis; who types an answer means the sum of mathematics.
            const bool pythons = file_ != nullptr && !of_module && !file_->of_arrays.contains(text);
            if (pythons) expect_python(text, given, begin);
            if (of_module) expect_matrix(text, given, begin);
            const bool of_python = pythons && given.named.empty();
            if (of_python && text == "sum" && given.positional.size() == 1) given.named.emplace("axis", proof::number(0));
            if (of_python && (text == "max" || text == "min") && given.positional.size() == 2)
                return finish(begin, call(text, given.positional));
            if (text == "cumsum" || text == "cumprod") along_only_axis(given);
            if (const ExprPtr e = any_function_called(text, given)) return finish(begin, e);
            if (const ExprPtr e = logical(text, given, begin)) return as_condition(finish(begin, e));
            const bool flips = of_module && (text == "flip" || text == "flipud" || text == "fliplr");
            if (flips || (of_module && text == "roll")) {
                const bool condition = !given.positional.empty() && is_condition(given.positional[0]);
                const ExprPtr out = finish(begin, flips ? flipped(std::string(text), given, begin) : rolled(given, begin));
                return condition ? as_condition(out) : out;
            }
            return called(text, std::move(given), begin, library);
        }
        if (text == "None" || text == "newaxis") return make(node(Kind::ellipsis));
        if (text == "True" || text == "False")
            return finish(begin, make(node(Kind::word, {}, text == "True" ? "true" : "false")));
        if (text == "pi" || text == "e" || text == "inf") return finish(begin, proof::name(text));
        if (of_module && text.starts_with("float")) return proof::name(text);  // of astype
        if (of_module && (text == "bool" || text == "bool_")) return proof::name("bool");
        if (of_module) fail(begin, fmt::format("{} is not read", source_.slice({begin, at_})));
        if (const auto in = file_ ? file_->incoming.find(text) : decltype(file_->incoming.end()){};
            file_ && in != file_->incoming.end())
            return finish(begin, proof::name(in->second));
        if (const std::string x = value_of_gradient(text, names_, file_); !x.empty()) return finish(begin, gradient_of(x));
        if (text == "lambda" || text == "if" || text == "for")
            fail(begin, fmt::format("{} is not read: write an expression", text));
    }
    if (const auto helper = names_.helpers.find(text); helper != names_.helpers.end()) return finish(begin, helper->second);
    return finish(begin, proof::name(text));
}

/// np.cumsum(x) of a vector.
void Parser::along_only_axis(Arguments& given) const {
    if (given.positional.size() != 1 || !given.named.empty() || !file_ || !file_->proof) return;
    const std::optional<AxisNames> axes = axis_names(*given.positional[0], *file_->proof);
    if (axes && axes->size() == 1) given.named.emplace("axis", proof::number(0));
}

/// float("-inf") and float('inf'); nullptr of others.
ExprPtr Parser::infinity_in_quotes(std::size_t begin) {
    for (const std::string_view sign : {"-", "+", ""})
        for (const char quote : {'"', '\''})
            if (take(fmt::format("({0}{1}inf{0})", quote, sign))) {
                const ExprPtr infinity = proof::name("inf");
                return finish(begin, sign == "-" ? negate(infinity) : infinity);
            }
    return nullptr;
}

/// logical_and(a, b) and its like, of conditions; nullptr of others.
ExprPtr Parser::logical(const std::string& name, const Arguments& given, std::size_t begin) const {
    const bool negates = name == "logical_not", both = name == "logical_and", either = name == "logical_or";
    if (!negates && !both && !either && name != "logical_xor") return nullptr;
    const std::vector<ExprPtr>& of = given.positional;
    if (of.size() != (negates ? 1 : 2) || !given.named.empty())
        fail(begin, fmt::format("{} takes {}, got {}", name, negates ? "one condition" : "two conditions",
                                of.size() + given.named.size()));
    if (!std::ranges::all_of(of, [&](const ExprPtr& e) { return is_condition(e); }))
        fail(begin, fmt::format("{} is read of conditions only: x > 0", name));
    if (negates) return one_minus(of[0]);
    const ExprPtr a_and_b = product(of[0], '*', of[1]);
    if (both) return a_and_b;
    if (either) return one_minus(product(one_minus(of[0]), '*', one_minus(of[1])));
    return sum(sum(of[0], '+', of[1]), '-', product(number(2), '*', a_and_b));
}

/// What stands under a name that is no value: a tuple, and self.x or d["x"]. What is not kept may be given; nullptr of all
/// others.
ExprPtr Parser::kept(std::size_t begin, const std::string& owner) {
    if (!file_) return nullptr;
    const std::string_view left = source_.text().substr(begin, end_ - begin);
    const std::size_t end = place_length(left);
    const std::optional<Place> place = place_of(source_, {begin, begin + end});
    const bool by_text = place && left[end - 1] == ']';
    if (const ExprPtr e = file_->saved.find(owner); e && !(by_text && is_dict(*e))) return e;
    if (const ExprPtr e = default_of(begin, owner)) return e;
    if (!place || (!by_text && left.substr(end).starts_with("("))) return nullptr;
    const std::string name(source_.slice(place->member));
    ExprPtr out = file_->saved.find(place->key);
    if (const Span other = file_->saved.kept_otherwise(place->key); other.end > 0)
        fail(begin, fmt::format("line {} gives {} another value than a function above: which of them it has here is not known",
                                source_.line(other.begin), source_.slice({begin, begin + end})));
    if (const Span lost = file_->saved.lost_in(place->owner); by_text && lost.end > 0)
        fail(begin, fmt::format("line {}, which is not read, may change {}", source_.line(lost.begin), place->owner));
    if (out && file_->kept_read) file_->kept_read(place->key);
    const bool of_object = by_text || owner == "self" || owner == "ctx";
    if (const std::string of = gradient_kept(*place, name, names_, file_); !out && of_object && !of.empty())
        out = gradient_of(of);
    const bool is_given = of_object && names_.defined(name) && file_->proof && file_->proof->find(name) == nullptr;
    if (!out && is_given && !names_.helpers.contains(name)) out = proof::name(name);
    if (!out && by_text && holds_settings(place->owner)) out = make(node(Kind::word, {}, name));
    if (!out && of_object) fail(begin, fmt::format("no line above says what {} is", source_.slice({begin, begin + end})));
    if (out) at_ = begin + end;
    return out;
}

/// bn_param.get("eps", 1e-5): what is declared by that name, else the number.
ExprPtr Parser::default_of(std::size_t begin, const std::string& owner) {
    constexpr std::string_view kGet = ".get(";
    const std::size_t before = at_;
    if (names_.defined(owner) || !take(kGet)) return nullptr;
    const char quote = at_ < end_ ? source_.text()[at_] : ' ';
    const std::size_t size = identifier_length(source_.text().substr(std::min(at_ + 1, end_)));
    const std::string name(source_.text().substr(std::min(at_ + 1, end_), size));
    at_ = std::min(at_ + size + 2, end_);
    if ((quote != '"' && quote != '\'') || source_.text()[at_ - 1] != quote || !take(",")) {
        at_ = before;
        return nullptr;
    }
    const ExprPtr value = expression();
    expect(")");
    const bool is_number = signed_number(*value).has_value();
    if (names_.defined(name) && !is_number) return finish(begin, proof::name(name));
    if (!is_number) fail(begin, fmt::format("of what {} holds, no comment says what {} is", owner, name));
    return finish(begin, file_ && file_->setting ? file_->setting(name, value)
                         : names_.defined(name)  ? proof::name(name)
                                                 : value);
}

/// How many entries an array has: the product of its sizes.
ExprPtr Parser::entries_of(const ExprPtr& of, std::size_t at) const {
    const std::optional<double> rank = rank_of(*of);
    if (!rank) fail(at, "how many axes it has is not known: write the product of its sizes");
    ExprPtr all = number(1);
    for (double axis = 0; axis < *rank; ++axis) {
        const ExprPtr size = over_axis("axis_size", of, axis);
        all = axis == 0 ? size : product(all, '*', size);
    }
    return all;
}

/// x.T, x.grad, x.shape[k], x.sum(...)
ExprPtr Parser::attribute(const ExprPtr& of, std::size_t begin) {
    expect(".");
    const std::size_t at = at_;
    const std::string name(word());
    if (name == "T" || name == "mT") {
        const ExprPtr turned = finish(begin, name == "T" ? reversed(of) : last_two_swapped(of));
        return is_condition(of) ? as_condition(turned) : turned;
    }
    if (name == "grad" && of->kind == Kind::name) return finish(begin, gradient_of(of->name));
    if (name == "shape") {
        if (!take("[")) {
            const std::optional<double> rank = rank_of(*of);
            if (!rank || *rank < 1) fail(at, "the sizes are read one by one, x.shape[0], or as n, m = x.shape");
            std::vector<ExprPtr> sizes;
            for (double axis = 0; axis < *rank; ++axis) sizes.push_back(over_axis("axis_size", of, axis));
            return finish(begin, array_of(std::move(sizes)));
        }
        const ExprPtr axis = expression();
        expect("]");
        return finish(begin, call("axis_size", of, {{"axis", axis, {}}}));
    }
    if (name == "size" && !next_is("(")) return finish(begin, entries_of(of, at));
    if (name == "values") return of;
    if (name == "dtype") {
        if (file_ && file_->proof && has_whole_type(*of, *file_->proof)) fail(at, "it holds whole numbers: write float");
        return proof::name("float");
    }
    const bool of_largest = of->kind == Kind::call && of->name == "max" && of->children.size() == 1;
    if (name == "indices" && of_largest) return finish(begin, call("argmax", of->children[0], of->options));
    if (!take("(")) fail(at, fmt::format("the attribute {} is not read", name));
    Arguments given = arguments();
    if (name == "size" && given.positional.size() == 1)
        return finish(begin, call("axis_size", of, {{"axis", given.positional[0], {}}}));
    const bool behind_condition = name == "where" && !given.positional.empty();  // x.where(x > 0, y): x where that holds
    given.positional.insert(given.positional.begin() + (behind_condition ? 1 : 0), of);
    if (name == "copy" && is_list(*of)) return as_list(called(name, std::move(given), begin));
    return called(name, std::move(given), begin,
                  name.ends_with("softmax")     ? Library::torch
                  : file_ && file_->numpy_alone ? Library::numpy
                                                : Library::unsaid);
}

}  // namespace gradproof::proof::numpy
