// Arrays that a program draws at random or fills.
#include "gradproof/core/proof/language/numpy/draws.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"

namespace gradproof::proof::numpy {
namespace {

constexpr std::size_t kEveryArgument = 100;
/// A function, and which of its arguments says the sizes, if none is called size or shape and none is a tuple.
struct Generator {
    std::string_view name;
    std::size_t sizes_at;
    std::string_view distribution;
};
constexpr auto kGenerators = std::to_array<Generator>({
    {"randn", kEveryArgument, "normal"},
    {"rand", kEveryArgument, "uniform"},
    {"standard_normal", 0, "normal"},
    {"random", 0, "uniform"},
    {"random_sample", 0, "uniform"},
    {"normal", 2, "normal"},
    {"uniform", 2, "uniform"},
    {"exponential", 1, "positive"},
    {"lognormal", 2, "positive"},
    {"randint", 2, "index"},
    {"integers", 2, "index"},
    {"zeros", kEveryArgument, ""},
    {"ones", kEveryArgument, ""},
    {"eye", kEveryArgument, ""},
});
constexpr auto kDrawingModules = std::to_array<std::string_view>(
    {"np", "numpy", "torch", "jnp", "np.random", "numpy.random", "random", "jax.random", "rng", "rs", "gen", "generator", ""});
/// Words that may stand around the call; another function, np.exp(np.random.randn(n)), makes something else of it.
constexpr auto kAround = std::to_array<std::string_view>(
    {"np",     "numpy",         "math",           "torch", "jnp",     "nn",      "Parameter", "array", "asarray",
     "tensor", "sqrt",          "astype",         "int",   "float32", "float64", "dtype",     "to",    "double",
     "float",  "requires_grad", "requires_grad_", "True",  "False"});
/// Signs that do so too, and those that do of places.
constexpr std::string_view kChanges = "<>=@%&|[", kChangesPlaces = "+-*/";

bool is_bracketed(const Source& source, Span s) {
    const char first = s.begin < s.end ? source.text()[s.begin] : ' ';
    return (first == '(' || first == '[') && closer_of(source, s.begin, s.end) + 1 == s.end;
}
std::vector<Span> sizes_of(const Source& source, Span s) {
    return is_bracketed(source, s) ? split_at_commas(source, {s.begin + 1, s.end - 1}) : std::vector<Span>{s};
}

/// A call of a function that draws or fills: np.random.randn(n, d).
struct Call {
    const Generator* generator = nullptr;
    Span all, inside;
};
std::optional<Call> call_in(const Source& source, Span s) {
    const std::string_view text = source.text().substr(0, s.end);
    for (std::size_t i = s.begin; i < s.end;) {
        std::size_t end = i, function = i;
        while (const std::size_t n = identifier_length(text.substr(end))) {
            function = end;
            end += n;
            if (end + 1 >= s.end || text[end] != '.') break;
            ++end;
        }
        if (end == i) {
            ++i;
            continue;
        }
        const std::string_view module = text.substr(i, function == i ? 0 : function - 1 - i);
        const std::string_view name = text.substr(function, end - function);
        const auto* const found =
            std::find_if(kGenerators.begin(), kGenerators.end(), [&](const Generator& g) { return g.name == name; });
        const bool known = std::find(kDrawingModules.begin(), kDrawingModules.end(), module) != kDrawingModules.end() &&
                           found != kGenerators.end();
        if (known && end < s.end && text[end] == '(') {
            const std::size_t close = closer_of(source, end, s.end);
            return Call{found, {i, std::min(close + 1, s.end)}, {end + 1, close}};
        }
        i = end;
    }
    return std::nullopt;
}

/// The names that stand around a call; nothing where one of them changes what it draws.
std::optional<std::set<std::string>> names_around(std::string_view text, bool of_places) {
    if (text.find_first_of(kChanges) != text.npos || (of_places && text.find_first_of(kChangesPlaces) != text.npos))
        return std::nullopt;
    std::set<std::string> out;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t n = identifier_length(text.substr(i));
        const std::string_view name = text.substr(i, n);
        i += std::max<std::size_t>(n, 1);
        if (n == 0 || std::find(kAround.begin(), kAround.end(), name) != kAround.end()) continue;
        if (text.substr(i).starts_with("(")) return std::nullopt;
        out.emplace(name);
    }
    return out;
}

/// The sizes and the parameters that the arguments say. Whether they can be read.
bool take_arguments(const Source& source, const Call& call, Draw& out) {
    std::vector<Span> numbers;  // but no tuples
    std::optional<Span> sizes;
    for (const Span part : split_at_commas(source, call.inside)) {
        const auto [at, size] = assignment_in(source, part);
        const std::string_view name = size == 0 ? "" : source.slice(trimmed(source, {part.begin, at}));
        const Span value = trimmed(source, {size == 0 ? part.begin : at + size, part.end});
        if (name == "size" || name == "shape" || (name.empty() && is_bracketed(source, value)))
            sizes = value;
        else if (name.empty())
            numbers.push_back(value);
    }
    if (sizes)
        out.sizes = sizes_of(source, *sizes);
    else if (call.generator->sizes_at == kEveryArgument)
        out.sizes = numbers;
    else if (call.generator->sizes_at < numbers.size())
        out.sizes = {numbers[call.generator->sizes_at]};
    if (call.generator->name == "eye" && out.sizes.size() == 1) out.sizes.push_back(out.sizes[0]);
    if (out.distribution == "uniform" && call.generator->sizes_at != kEveryArgument && numbers.size() > 1)
        out.parameters = {numbers[0], numbers[1]};
    if (out.distribution != "index") return true;
    const bool from_zero = numbers.size() > 1 && source.slice(numbers[0]) == "0";  // randint(0, n, ...) or randint(n, size=...)
    if (!from_zero && numbers.size() != 1) return false;
    out.parameters = {numbers[from_zero ? 1 : 0]};
    return true;
}

}  // namespace

std::optional<Draw> draw_in(const Source& source, Span statement) {
    constexpr std::string_view kSelf = "self.";
    const auto [at, size] = assignment_in(source, statement);
    if (size != 1) return std::nullopt;
    Span left = trimmed(source, {statement.begin, at});
    if (source.slice(left).starts_with(kSelf)) left.begin += kSelf.size();
    const std::size_t length = left.end - left.begin;
    if (length == 0 || identifier_length(source.slice(left)) != length) return std::nullopt;
    const Span right = trimmed(source, {at + size, statement.end});
    const std::optional<Call> call = call_in(source, right);
    if (!call) return std::nullopt;
    Draw out{left, {}, call->generator->distribution};
    out.is_filled = out.distribution.empty();
    if (!take_arguments(source, *call, out)) return std::nullopt;
    for (const Span around : {Span{right.begin, call->all.begin}, Span{call->all.end, right.end}}) {
        const std::optional<std::set<std::string>> names = names_around(source.slice(around), out.distribution == "index");
        if (!names) return std::nullopt;
        out.around.insert(names->begin(), names->end());
    }
    for (const std::vector<Span>& all : {out.sizes, out.parameters})
        for (const Span s : all)
            for (std::string& name : identifiers_in(source.slice(s))) out.in_sizes.insert(std::move(name));
    return out;
}

std::optional<DrawCall> draw_call_at(const Source& source, std::size_t at, std::size_t end) {
    for (const auto& [like, distribution] :
         {std::pair<std::string_view, std::string_view>{"torch.rand_like(", "uniform"}, {"torch.randn_like(", "normal"}})
        if (source.text().substr(at, end - at).starts_with(like)) {
            const std::size_t open = at + like.size() - 1, close = closer_of(source, open, end);
            if (close >= end) return std::nullopt;  // told where the line is read
            return DrawCall{close + 1, distribution, {trimmed(source, {open + 1, close})}, true};
        }
    const std::optional<Call> call = call_in(source, {at, end});
    if (!call || call->all.begin != at) return std::nullopt;
    Draw draw{{}, {}, call->generator->distribution};
    if (draw.distribution.empty() || draw.distribution == "index" || !take_arguments(source, *call, draw)) return std::nullopt;
    return DrawCall{call->all.end, draw.distribution, std::move(draw.sizes), false};
}

std::vector<std::pair<std::string, std::optional<double>>> assigned_in(const Source& source, Span statement) {
    const auto [at, size] = assignment_in(source, statement);
    if (size == 0) return {};
    std::vector<std::pair<std::string, std::optional<double>>> out;
    const std::vector<Span> names = split_at_commas(source, {statement.begin, at}),
                            values = split_at_commas(source, {at + size, statement.end});
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string_view left = source.slice(names[i]);
        std::optional<double> number;
        if (size == 1 && names.size() == values.size())
            if (const std::string value(source.slice(values[i])); is_number_text(value))
                number = std::strtod(value.c_str(), nullptr);
        out.emplace_back(left.substr(0, identifier_length(left)), number);
    }
    return out;
}

}  // namespace gradproof::proof::numpy
