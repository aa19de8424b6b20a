// Reading what a process says it has.
#include "tools/cli/remote_ops.hpp"

#include <deque>

#include "tools/cli/remote_calls.hpp"

namespace gradproof::cli {
namespace {

std::string take_line(Reader& in) {
    constexpr std::size_t kMost = 4000;
    return printable(in.take_text(), kMost);
}

std::vector<SavedField> take_fields(Reader& in) {
    std::vector<SavedField> out(in.take_count());
    for (SavedField& f : out) {
        f.name = take_line(in);
        f.tensor = in.take<bool>();
    }
    return out;
}

std::vector<Arg> take_args(Reader& in) {
    std::vector<Arg> out;
    for (std::size_t n = in.take_count(); n > 0; --n) {
        const bool present = in.take<bool>();
        const auto draw = static_cast<Distribution>(in.take_number(static_cast<int>(Distribution::distinct) + 1));
        Arg arg(in.take_shape(0), draw);
        arg.present = present;
        arg.values = in.take_tensor<double>();
        out.push_back(std::move(arg));
    }
    return out;
}

/// Everything of one kind that the process has for an op: read(answer) for each.
template <class Case, class Read>
std::vector<Case> cases_of(RemoteOp& op, Ask what, Read read) try {
    Writer message;
    message.put<std::uint8_t>(static_cast<std::uint8_t>(what));
    message.put_text(op.info.name);
    Reader answer = op.process->ask(message);
    std::vector<Case> out;
    for (std::size_t n = answer.take_count(); n > 0; --n) out.push_back(read(answer));
    answer.expect_end();
    return out;
} catch (const Malformed&) {
    op.process->malformed();
}

std::vector<SampleCase> samples_of(RemoteOp& op) {
    return cases_of<SampleCase>(op, Ask::samples, [&](Reader& in) {
        SampleCase s{take_line(in), op.attrs(in.take_attrs()), take_args(in), {}};
        s.excuse.finite_differences = in.take<bool>();
        s.excuse.zero_gradient = in.take<bool>();
        s.excuse.why = *op.excuses.insert(take_line(in)).first;
        return s;
    });
}

std::vector<ErrorCase> error_samples_of(RemoteOp& op) {
    return cases_of<ErrorCase>(op, Ask::error_samples, [&](Reader& in) {
        return ErrorCase{take_line(in), op.attrs(in.take_attrs()), take_args(in), take_line(in)};
    });
}

template <class T>
void take_table(RemoteOp& op, Reader& in, std::vector<ScalarTable>& tables) {
    RemoteTable<T>& table = std::get<RemoteTable<T>>(op.tables);
    table.op = &op;
    if (!in.take<bool>()) return;
    table.fields = take_fields(in);
    table.table = remote_table(table);
    tables.push_back({&typeid(T), &table.table});
}

OpEntry take_op(PluginProcess& process, Reader& in) {
    static std::deque<RemoteOp> all;  // pages stay until the program ends
    RemoteOp& op = all.emplace_back();
    op.process = &process;
    for (std::string_view* text :
         {&op.info.name, &op.info.inputs, &op.info.forward, &op.info.backward, &op.info.saves, &op.info.source})
        *text = op.words.emplace_back(take_line(in));
    OpEntry entry{.info = op.info,
                  .file = take_line(in),
                  .tables = {},
                  .attrs_type = &typeid(NamedAttrs),
                  .view_attrs = AnyAttrs::view<NamedOp>,
                  .default_attrs = [&op] { return op.attrs(op.defaults); },
                  .samples = [&op] { return samples_of(op); },
                  .error_samples = [&op] { return error_samples_of(op); }};
    op.defaults = in.take_attrs();
#define GRADPROOF_TAKE(T) take_table<T>(op, in, entry.tables);
    GRADPROOF_FOR_PLUGIN_SCALARS(GRADPROOF_TAKE)
#undef GRADPROOF_TAKE
    return entry;
}

template <class T>
KernelTable<T>* take_kernel_table(PluginProcess& process, const KernelInfo& info, Reader& in) {
    static std::deque<RemoteKernel<T>> all;
    if (!in.take<bool>()) return nullptr;
    RemoteKernel<T>& kernel = all.emplace_back();
    kernel.process = &process;
    kernel.op = info.op;
    kernel.name = info.name;
    kernel.own = detail::split_names(info.saves);
    if (in.take<bool>()) kernel.fits = kernel_fits<T>;
    if (in.take<bool>()) kernel.forward = kernel_forward<T>;
    if (in.take<bool>()) kernel.backward = kernel_backward<T>;
    kernel.fields = take_fields(in);
    return &kernel;
}

KernelEntry take_kernel(PluginProcess& process, Reader& in) {
    static std::deque<std::string> words;
    KernelEntry entry;
    for (std::string_view* text : {&entry.info.op, &entry.info.name, &entry.info.saves})
        *text = words.emplace_back(take_line(in));
    entry.file = take_line(in);
    entry.f32 = take_kernel_table<float>(process, entry.info, in);
    entry.f64 = take_kernel_table<double>(process, entry.info, in);
    return entry;
}

}  // namespace

std::vector<Plugin> register_remote_ops(PluginProcess& process) {
    std::vector<Reader> described = process.start();
    std::vector<Plugin> out;
    for (std::size_t i = 0; i < described.size(); ++i) {
        const std::string& path = process.paths()[i];
        try {
            Reader& in = described[i];
            const Registry::Pages pages = registry().collect([&] {
                for (std::size_t n = in.take_count(); n > 0; --n) registry().add_page(take_op(process, in));
                for (std::size_t n = in.take_count(); n > 0; --n) registry().add_kernel(take_kernel(process, in));
                in.expect_end();
            });
            if (!pages.refused.empty()) value_error("plugin {}: {}", printable(path), pages.refused.front());
            out.push_back({path, pages.added, pages.kernels});
        } catch (const Malformed& e) {
            io_error("plugin {}: its process answered with no list of ops: {}", printable(path), e.what());
        }
    }
    return out;
}

}  // namespace gradproof::cli
