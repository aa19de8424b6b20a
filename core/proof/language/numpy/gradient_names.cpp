// Names of gradients in programs.
#include "gradproof/core/proof/language/numpy/gradient_names.hpp"

#include <algorithm>
#include <array>

namespace gradproof::proof::numpy {

std::string_view value_named_in(std::string_view name, const std::function<bool(std::string_view)>& is_value) {
    for (const std::string_view start : {"grad_", "d_", "d", "dL_d_", "dL_d", "dLd", "dl_d", "dloss_d", "dLoss_d", "dJ_d", "dJd"})
        if (name.starts_with(start) && is_value(name.substr(start.size()))) return name.substr(start.size());
    constexpr std::string_view kEnd = "_grad";
    if (!name.ends_with(kEnd)) return "";
    const std::string_view value = name.substr(0, name.size() - kEnd.size());
    return is_value(value) ? value : "";
}

bool names_upstream(std::string_view name) {
    constexpr std::array<std::string_view, 4> kAll{"dout", "grad_output", "grad_out", "upstream"};
    return std::ranges::find(kAll, name) != kAll.end();
}

bool holds_gradients(std::string_view owner) {
    owner.remove_prefix(owner.rfind('.') + 1);
    constexpr std::array<std::string_view, 6> kAll{"grad", "gradients", "gradient", "dparams", "dparameters", "dmodel"};
    return std::ranges::find(kAll, owner) != kAll.end() || owner.ends_with("grads");
}

bool holds_parameters(std::string_view owner) {
    return (owner.ends_with("params") || owner.ends_with("parameters")) && !holds_gradients(owner);
}

bool holds_settings(std::string_view owner) {
    constexpr std::array<std::string_view, 6> kEnds{"_param", "config", "cfg", "conf", "hparams", "options"};
    return std::ranges::any_of(kEnds, [&](std::string_view end) { return owner.ends_with(end); });
}

std::string stem_of(std::string function) {
    for (const std::string_view word :
         {"forward", "backward", "backprop", "fwd", "bwd", "gradients", "gradient", "grad", "vjp", "call", "apply", "_"})
        for (std::size_t at = function.find(word); at != std::string::npos; at = function.find(word))
            function.erase(at, word.size());
    return function;
}

}  // namespace gradproof::proof::numpy
