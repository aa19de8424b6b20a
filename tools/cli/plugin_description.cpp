// What a library has.
#include "tools/cli/plugin_description.hpp"

#include <algorithm>

#include "gradproof/core/bounded.hpp"
#include "gradproof/core/plugin.hpp"
#include "tools/cli/plugin_payload.hpp"

namespace gradproof::cli {
namespace {

template <class T>
void describe_fields(const OpEntry& op, Writer& out) {
    Fields<T> fields;
    const Payload<T> payload(op, op.default_attrs());
    payload.table().each_saved(payload.get(), fields);
    out.put<std::uint64_t>(fields.all.size());
    for (const auto& f : fields.all) {
        out.put_text(f.name);
        out.put<bool>(f.tensor.has_value());
    }
}

template <class T>
void describe_type(const OpEntry& op, Writer& out) {
    out.put<bool>(op.has_table<T>());
    if (op.has_table<T>()) describe_fields<T>(op, out);
}

void describe(const OpEntry& op, Writer& out) {
    const OpInfo& i = op.info;
    for (const std::string_view text : {i.name, i.inputs, i.forward, i.backward, i.saves, i.source, std::string_view(op.file)})
        out.put_text(text);
    out.put_attrs(values_of(op.default_attrs()));
#define GRADPROOF_DESCRIBE(T) describe_type<T>(op, out);
    GRADPROOF_FOR_PLUGIN_SCALARS(GRADPROOF_DESCRIBE)
#undef GRADPROOF_DESCRIBE
}

template <class T>
void describe_table(const OpEntry& op, const KernelTable<T>* kernel, Writer& out) {
    out.put<bool>(kernel != nullptr);
    if (kernel == nullptr) return;
    out.put<bool>(kernel->fits != nullptr);
    out.put<bool>(kernel->forward != nullptr);
    out.put<bool>(kernel->backward != nullptr);
    describe_fields<T>(op, out);
}

void write_args(const std::vector<Arg>& args, Writer& out) {
    out.put<std::uint64_t>(args.size());
    for (const Arg& a : args) {
        out.put<bool>(a.present);
        out.put<std::uint8_t>(static_cast<std::uint8_t>(a.draw));
        out.put_shape(a.shape);
        out.put_tensor(a.values);
    }
}

}  // namespace

void load_and_describe(Reader& in, Writer& out) {
    const Plugin plugin = load_plugin(std::string(in.take_text()));
    out.put<std::uint64_t>(plugin.ops.size());
    for (const OpEntry* op : plugin.ops) describe(*op, out);
    out.put<std::uint64_t>(plugin.kernels.size());
    for (const KernelInfo& k : plugin.kernels) {
        const OpEntry& op = registry().find(k.op);
        const auto entry =
            std::find_if(op.kernels.begin(), op.kernels.end(), [&](const KernelEntry& e) { return e.info.name == k.name; });
        for (const std::string_view text : {k.op, k.name, k.saves, std::string_view(entry->file)}) out.put_text(text);
        describe_table(op, entry->f32, out);
        describe_table(op, entry->f64, out);
    }
}

void describe_samples(Reader& in, Writer& out) {
    const std::vector<SampleCase> all = registry().find(in.take_text()).samples();
    out.put<std::uint64_t>(all.size());
    for (const SampleCase& s : all) {
        out.put_text(s.name);
        out.put_attrs(values_of(s.attrs));
        write_args(s.args, out);
        out.put<bool>(s.excuse.finite_differences);
        out.put<bool>(s.excuse.zero_gradient);
        out.put_text(s.excuse.why);
    }
}

void describe_error_samples(Reader& in, Writer& out) {
    const std::vector<ErrorCase> all = registry().find(in.take_text()).error_samples();
    out.put<std::uint64_t>(all.size());
    for (const ErrorCase& e : all) {
        out.put_text(e.name);
        out.put_attrs(values_of(e.attrs));
        write_args(e.args, out);
        out.put_text(e.message);
    }
}

}  // namespace gradproof::cli
