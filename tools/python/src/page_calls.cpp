// What pages say of calls beside value and gradient: which they refuse, and their second derivatives.
#include "gradproof/core/check/subject.hpp"
#include "tools/python/src/attributes.hpp"
#include "tools/python/src/drawn_calls.hpp"

namespace gradproof::python {
namespace {

using check::KernelCall;

/// The calls that a page says it refuses: name, attributes, inputs.
nb::list page_refusals(const std::string& name, const nb::dict& attributes, std::uint64_t seed) {
    nb::list out;
    const OpEntry& op = registry().find(name);
    const std::string usual = op.default_attrs().text();
    for (ErrorCase& error : op.error_samples()) {
        if (error.attrs.text() == usual) set_attributes(error.attrs, attributes);
        const Tensors x = check::draw(error.args, check::sample_random(seed, name, error.name));
        out.append(nb::make_tuple(error.name, to_dict(error.attrs), to_list(x)));
    }
    return out;
}

/// How the gradients of an op change when its inputs move along dx and its cotangent along du: exact.
nb::list second(const std::string& name, const KernelCall& call, const std::vector<std::optional<AnyArray>>& dx,
                const AnyArray& du) {
    using D = Dual<double>;
    Tape<D> tape;
    std::vector<Var<D>> x;
    for (std::size_t i = 0; i < call.x.size(); ++i)
        x.push_back(call.x[i].defined() ? tape.leaf(dual(call.x[i], to_tensor(dx.at(i).value()))) : Var<D>());
    std::vector<const Var<D>*> inputs;
    for (const Var<D>& v : x) inputs.push_back(&v);
    const Var<D> y = gradproof::call(registry().find(name).table<D>(), call.attrs.get(), std::span<const Var<D>* const>(inputs));
    tape.backward(y, dual(call.u, to_tensor(du)));
    nb::list out;
    for (const Var<D>& v : x) {
        if (v.on_tape())
            out.append(to_numpy(tangent_of(tape.grad(v))));
        else
            out.append(nb::none());
    }
    return out;
}

}  // namespace

void bind_page_calls(nb::module_& m) {
    m.def("page_refusals", page_refusals);
    m.def("second", second);
}

}  // namespace gradproof::python
