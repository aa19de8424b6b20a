// `gradproof attention`: attention of arrays in files, and its gradients.
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "gradproof/core/check/subject.hpp"
#include "gradproof/core/did_you_mean.hpp"
#include "gradproof/core/io/npy.hpp"
#include "gradproof/core/io/npz.hpp"
#include "gradproof/core/platform/files.hpp"
#include "gradproof/ops/attention_mistakes.hpp"
#include "tools/cli/help.hpp"

namespace gradproof::cli {
namespace {

/// The command line as typed; an empty path is an option not given.
struct Request {
    std::string q, k, v, mask, past_key, past_value, kv_len, dy, out, expect;
    std::string dtype, kernel = "auto", window;
    std::optional<double> scale;
    double softcap = 0;
    Index q_heads = 0, kv_heads = 0;
    bool causal = false, weights = false;
};

/// What the files held.
struct Arrays {
    Array q, k, v;
    std::optional<Array> mask, past_key, past_value, dy;
    std::vector<NamedArray> theirs;
};

/// --window left,right
void parse_window(const std::string& text, AttentionAttrs& attrs) {
    const auto comma = text.find(',');
    const auto size = [&](const std::string& part) {
        Index n = 0;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), n);
        if (part.empty() || error != std::errc{} || end != part.data() + part.size())
            value_error("--window is '{}', expected left,right as in --window=3,0 (-1 is unbounded)", printable(text, 40));
        return n;
    };
    attrs.window_left = size(text.substr(0, comma));
    attrs.window_right = size(comma == std::string::npos ? "" : text.substr(comma + 1));
}

AttentionAttrs attributes(const Request& request) {
    AttentionAttrs attrs{.scale = request.scale,
                         .causal = request.causal,
                         .softcap = request.softcap,
                         .q_heads = request.q_heads,
                         .kv_heads = request.kv_heads};
    if (!request.window.empty()) parse_window(request.window, attrs);
    if (!request.kv_len.empty()) attrs.kv_len = to_ids(read_npy(request.kv_len), request.kv_len);
    set_attr("attention", attrs, "kernel", request.kernel);
    return attrs;
}

/// A mask of booleans goes to the attributes, one of floats to the differentiable input.
void place_mask(const Request& request, Arrays& arrays, AttentionAttrs& attrs) {
    if (request.mask.empty()) return;
    Array mask = read_npy(request.mask);
    if (mask.dtype == DType::boolean)
        attrs.bool_mask = to_mask(mask, request.mask);
    else if (is_float(mask.dtype))
        arrays.mask = std::move(mask);
    else
        value_error("{}: the mask's element type is {}, expected bool (true may attend) or a float (added to the scores)",
                    request.mask, dtype_name(mask.dtype));
}

bool is_result(std::string_view name) {
    return std::find(std::begin(kAttentionResults), std::end(kAttentionResults), name) != std::end(kAttentionResults);
}
/// The name of a result as we write it: dQ, grad_q, q.grad are dq.
std::string result_name(const std::string& name) {
    const auto lower = [](std::string text) {
        for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        return text;
    };
    const auto is_input = [&](const std::string& value) { return is_result("d" + lower(value)); };
    if (is_result(name)) return name;
    const auto value = check::gradient_of(name, is_input);
    return value ? "d" + lower(*value) : lower(name);
}

/// Their results, each a name we know and can work out from what was given.
std::vector<NamedArray> read_theirs(const Request& request, const Arrays& arrays) {
    auto theirs = read_npz(request.expect);
    if (theirs.empty()) value_error("{}: holds no array, expected some of {}", request.expect, fmt::join(kAttentionResults, " "));
    std::map<std::string, std::string> names;  // theirs, by ours
    for (NamedArray& t : theirs) {
        const std::string theirs_is = std::exchange(t.name, result_name(t.name));
        if (!is_result(t.name))
            value_error("{}: has an array '{}', expected some of {}{}", request.expect, printable(theirs_is),
                        fmt::join(kAttentionResults, " "), did_you_mean(theirs_is, kAttentionResults));
        if (const auto [first, fresh] = names.emplace(t.name, theirs_is); !fresh)
            value_error("{}: {} and {} name the same result", request.expect, first->second, theirs_is);
        const auto needs = [&](bool given, std::string_view what) {
            if (!given) value_error("{}: has an array '{}', which needs {}", request.expect, printable(theirs_is), what);
        };
        if (t.name[0] == 'd') needs(arrays.dy.has_value(), "--dy");
        if (t.name == "dmask") needs(arrays.mask.has_value(), "a float --mask");
        if (t.name.find("past") != std::string::npos || t.name.find("present") == 0)
            needs(arrays.past_key.has_value(), "--past-key and --past-value");
    }
    return theirs;
}

Arrays arrays_of(const Request& request, AttentionAttrs& attrs) {
    const auto optional = [](const std::string& path) { return path.empty() ? std::nullopt : std::optional(read_npy(path)); };
    Arrays arrays{.q = read_npy(request.q),
                  .k = read_npy(request.k),
                  .v = read_npy(request.v),
                  .mask{},
                  .past_key = optional(request.past_key),
                  .past_value = optional(request.past_value),
                  .dy = optional(request.dy),
                  .theirs{}};
    place_mask(request, arrays, attrs);
    if (!request.expect.empty()) arrays.theirs = read_theirs(request, arrays);
    return arrays;
}

void check_out(const Request& request) {
    if (request.out.empty()) {
        if (request.expect.empty())
            value_error("attention: nowhere to put the results: --out is missing (or --theirs, to compare only)");
        return;
    }
    struct stat out {
    }, text{};
    if (::stat(request.out.c_str(), &out) == 0 && ::fstat(STDOUT_FILENO, &text) == 0 && out.st_dev == text.st_dev &&
        out.st_ino == text.st_ino && !S_ISCHR(out.st_mode))
        value_error("attention: --out is {}, where the text goes; name another file", request.out);
    for (const std::string* in : {&request.q, &request.k, &request.v, &request.mask, &request.past_key, &request.past_value,
                                  &request.kv_len, &request.dy, &request.expect}) {
        std::error_code none;
        if (!in->empty() && std::filesystem::equivalent(*in, request.out, none))
            value_error("{}: is both an input and --out", request.out);
    }
    if (const std::filesystem::path as = std::filesystem::path(request.out).extension(); !as.empty() && as != ".npz")
        value_error("attention: --out is {}, expected the name of an .npz file", request.out);
    expect_writable(request.out);
}

template <class T>
AttentionCall<T> call_of(const Request& request, const Arrays& arrays, const AttentionAttrs& attrs) {
    const auto optional = [](const std::optional<Array>& a, const std::string& path) {
        return a ? to_tensor<T>(*a, path) : Tensor<T>{};
    };
    return {to_tensor<T>(arrays.q, request.q),
            to_tensor<T>(arrays.k, request.k),
            to_tensor<T>(arrays.v, request.v),
            optional(arrays.dy, request.dy),
            {optional(arrays.mask, request.mask), optional(arrays.past_key, request.past_key),
             optional(arrays.past_value, request.past_value)},
            attrs};
}

/// What is hidden may hold anything. Where a result is not finite, an input that is not is at fault, and is named.
/// Errors  ValueError for its first such entry; -inf in a mask hides a score and is none.
template <class T>
void expect_finite(const Request& request, const AttentionCall<T>& x, const AttentionArrays<T>& results) {
    const auto not_finite = [](const Tensor<T>& t) {
        return std::any_of(t.begin(), t.end(), [](T v) { return !std::isfinite(v); });
    };
    if (std::none_of(results.begin(), results.end(), [&](const auto& r) { return not_finite(r.second); })) return;
    const std::tuple<const Tensor<T>&, const std::string&, bool> inputs[] = {{x.q, request.q, false},
                                                                             {x.k, request.k, false},
                                                                             {x.v, request.v, false},
                                                                             {x.dy, request.dy, false},
                                                                             {x.with.mask, request.mask, true},
                                                                             {x.with.past_key, request.past_key, false},
                                                                             {x.with.past_value, request.past_value, false}};
    for (const auto& [t, path, may_hide] : inputs)
        for (Index i = 0; t.defined() && i < t.size(); ++i)
            if (!std::isfinite(t[i]) && !(may_hide && t[i] < 0))
                value_error("{}: the entry at {} is {} in {}, expected {}", path, check::unravel(i, t.shape()),
                            std::isnan(t[i]) ? "nan"
                            : t[i] > 0       ? "inf"
                                             : "-inf",
                            std::is_same_v<T, float> ? "f32" : "f64", may_hide ? "a finite number or -inf" : "a finite number");
}

AttentionCall<double> widened(const AttentionCall<float>& x) {
    const auto wide = [](const Tensor<float>& t) { return t.defined() ? cast<double>(t) : Tensor<double>{}; };
    return {wide(x.q), wide(x.k), wide(x.v), wide(x.dy), {wide(x.with.mask), wide(x.with.past_key), wide(x.with.past_value)},
            x.attrs};
}

/// "scale 0.5 = 1/sqrt(4), causal, no soft cap, no window, 4 query heads, 2 key heads".
std::string described(const AttentionAttrs& attrs, const Arrays& arrays) {
    const auto heads = [](const Array& a, Index packed) { return packed > 0 ? packed : a.shape[1]; };
    const Index queries = heads(arrays.q, attrs.q_heads), keys = heads(arrays.k, attrs.kv_heads);
    const Index size = arrays.q.shape.last() / (attrs.q_heads > 0 ? attrs.q_heads : 1);
    const auto bound = [](Index n) { return n < 0 ? std::string("unbounded") : std::to_string(n); };
    std::string out = attrs.scale ? fmt::format("scale {:.4g}", *attrs.scale)
                                  : fmt::format("scale {:.4g} = 1/sqrt({})", 1 / std::sqrt(static_cast<double>(size)), size);
    out += attrs.causal ? ", causal" : ", not causal";
    out += attrs.softcap > 0 ? fmt::format(", soft cap {:g}", attrs.softcap) : ", no soft cap";
    out += attrs.window_left < 0 && attrs.window_right < 0
               ? ", no window"
               : fmt::format(", window {} left, {} right", bound(attrs.window_left), bound(attrs.window_right));
    if (attrs.kv_len.defined()) out += ", key lengths given";
    if (attrs.bool_mask.defined()) out += ", mask of booleans";
    const auto count = [](Index n, std::string_view of) { return fmt::format(", {} {} head{}", n, of, n == 1 ? "" : "s"); };
    return out + count(queries, "query") + count(keys, "key");
}

/// Writes the results and says which there are.
template <class T>
std::string write_results(const std::string& path, const AttentionArrays<T>& results) {
    std::vector<NamedArray> arrays;
    std::string text;
    for (const std::string_view name : kAttentionResults)
        if (const auto r = results.find(name); r != results.end()) {
            arrays.push_back({r->first, from_tensor(r->second)});
            text += fmt::format(" {} {}", name, r->second.shape());
        }
    write_npz(path, arrays);
    return fmt::format("wrote {}:{}\n", printable(path, 400), text);
}

int run(const Request& request) {
    check_out(request);
    AttentionAttrs attrs = attributes(request);
    const Arrays arrays = arrays_of(request, attrs);
    // By default the widest of the inputs decides; integers count as wide.
    const auto narrow = [](const Array& a) { return unit_roundoff(a.dtype) > unit_roundoff(DType::f64); };
    const bool single = request.dtype.empty() ? narrow(arrays.q) && narrow(arrays.k) && narrow(arrays.v) : request.dtype == "f32";
    const bool weights = request.weights || find_array(arrays.theirs, "weights") != nullptr;

    const auto finish = [&](const auto& call, DType dtype, const auto& judged) -> int {
        const auto results = attention_results(call, weights);
        expect_finite(request, call, results);
        const std::string wrote = request.out.empty() ? "" : write_results(request.out, results);
        fmt::print("attention in {}: {}\n{}", dtype_name(dtype), described(attrs, arrays), wrote);
        if (request.expect.empty()) return kOk;
        fmt::print("{}: errors are relative to the largest true entry of each array\n", printable(request.expect, 400));
        const check::ComparedArrays report = judged(results);
        fmt::print("{}", to_text(report));
        return status_of(report.verdict());
    };
    if (single) {
        const AttentionCall<float> call = call_of<float>(request, arrays, attrs);
        return finish(call, DType::f32, [&](const auto&) {
            const AttentionCall<double> wide = widened(call);
            return attention_mistakes(wide, attention_results(wide, weights), arrays.theirs, DType::f32);
        });
    }
    const AttentionCall<double> call = call_of<double>(request, arrays, attrs);
    return finish(call, DType::f64, [&](const auto& results) { return attention_mistakes(call, results, arrays.theirs); });
}

void set_up_attention(const Command& command) {
    describe(
        command,
        {.description =
             R"page(Reads q [B,H,L,D], k and v from .npy files, writes the result and, with --dy, the gradients. --theirs holds your
results to the true ones and names the classic mistakes: masks, scales, the Jacobian of the softmax, groups of heads,
soft caps.)page",
         .exit_status = R"page(0 done, or all right
1 an array of yours is wrong
2 bad usage or bad files
3 nothing wrong, but something cannot be told)page",
         .examples = R"page(gradproof attention --q q.npy --k k.npy --v v.npy --causal --out out.npz
gradproof attention --q q.npy --k k.npy --v v.npy --dy dy.npy --theirs theirs.npz)page"});
    const auto request = std::make_shared<Request>();
    const auto path = [&](const char* name, std::string& field, const char* text) {
        return command.option(name, field, text).takes("FILE");
    };
    path("--q", request->q, "Queries [B, Hq, L, D], or [B, L, Hq*D] with --q-heads").required();
    path("--k", request->k, "Keys [B, Hk, S, D], or [B, S, Hk*D] with --kv-heads").required();
    path("--v", request->v, "Values [B, Hk, S, E], or [B, S, Hk*E]").required();
    path("--mask", request->mask, "bool: true may attend; float: added to the scores; broadcasts to [B, Hq, L, S]");
    path("--past-key", request->past_key, "Keys before these [B, Hk, P, D]");
    path("--past-value", request->past_value, "Values before these [B, Hk, P, E]");
    path("--kv-len", request->kv_len, "How many keys of each batch entry are real [B]");
    command.option("--scale", request->scale, "Factor on the scores [1/sqrt(D)]");
    command.flag("--causal", request->causal, "Query i sees key j only if j <= i + offset");
    command.option("--softcap", request->softcap, "c > 0: scores become c tanh(score / c)");
    command.option("--window", request->window, "left,right: keys seen on either side; -1 is unbounded").takes("LEFT,RIGHT");
    command.option("--q-heads", request->q_heads, "Heads packed in the last axis of q");
    command.option("--kv-heads", request->kv_heads, "Heads packed in the last axis of k and v");
    path("--dy", request->dy, "Incoming gradient dL/dy [B, Hq, L, E]: the gradients are computed too");
    command.option("--dtype", request->dtype, "f32 or f64; by default that of the inputs").one_of({"f32", "f64"});
    command.option("--kernel", request->kernel, "reference, fused or auto").one_of({"reference", "fused", "auto"});
    command.flag("--weights", request->weights, "Write the weights [B, Hq, L, S] too");
    path("--out", request->out, "The .npz file to write the results to");
    path("--expect,--theirs", request->expect,
         "An .npz file of the results to be judged, held to the true ones array by array; exit status 0 right, 1 wrong, 3 cannot "
         "tell");
    command.runs([=] { return run(*request); });
}
const NewCommand kAttention("attention", "Attention of arrays in .npy files: results, gradients, and a verdict on yours",
                            set_up_attention);

}  // namespace

}  // namespace gradproof::cli
