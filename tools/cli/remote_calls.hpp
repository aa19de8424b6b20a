// The pages and kernels that stand for those of plugins: each hands its calls over and does here what they did there.
#pragma once

#include <deque>
#include <set>

#include "gradproof/core/kernel.hpp"
#include "tools/cli/plugin_calls.hpp"

namespace gradproof::cli {

using NamedValues = std::vector<std::pair<std::string, AttrValue>>;

struct RemoteOp;

/// A page at one element type.
template <class T>
struct RemoteTable {
    const RemoteOp* op = nullptr;
    bool there = false;
    OpTable<T> table{};
    KernelList<T> kernels{};
    std::vector<SavedField> fields;
};

struct RemoteOp {
    PluginProcess* process = nullptr;
    std::deque<std::string> words;  // what the views in `info` view
    OpInfo info;
    std::string file;
    NamedValues defaults;
    ForTypes<RemoteTable> tables;
    std::set<std::string> excuses;  // of samples, which are views too
    std::vector<std::uint64_t> released;
    std::mutex released_mutex;

    AnyAttrs attrs(NamedValues values) const {
        return AnyAttrs::of<NamedOp>({.op = std::string(info.name), .values = std::move(values), .of = this});
    }
    void release(std::uint64_t call) {
        const std::lock_guard lock(released_mutex);
        released.push_back(call);
    }
    std::vector<std::uint64_t> take_released() {
        const std::lock_guard lock(released_mutex);
        return std::exchange(released, {});
    }
};

/// One call on its way: what is written, and how its answer is read.
template <class T>
class RemoteCall {
  public:
    RemoteCall(PluginProcess& process, Ask what, std::string_view op, std::string_view kernel, NamedValues attrs,
               std::vector<std::uint64_t> released = {})
        : process_(process) {
        CallHead head;
        head.op = op;
        head.kernel = kernel;
        head.type = kType<T>;
        head.threads = threads();
        head.guard_value = pool::guard_value();
        head.poison = pool::poisoning();
        head.kernels = kernel_scope();
        head.released = std::move(released);
        head.attrs = std::move(attrs);
        head.write(what, message);
    }
    Writer message;
    Arrays<T> arrays;

    /// read(answer) takes the results; returns the bytes that the call keeps beside them. Errors: as PluginProcess::ask.
    template <class Read>
    std::int64_t ask(Read read) try {
        Reader answer = process_.ask(message, [&](Reader& rest) { read_effects(arrays, rest); });
        read(answer);
        const std::int64_t kept = read_effects(arrays, answer);
        answer.expect_end();
        return kept;
    } catch (const Malformed&) {
        process_.malformed();
    }

    void put_inputs(const Inputs<T>& x) {
        message.put<std::uint64_t>(static_cast<std::uint64_t>(x.size()));
        for (int i = 0; i < x.size(); ++i) arrays.put(message, x[i]);
    }
    void put_cotangent(const Tensor<T>& dy, const Cotangents<T>& dx) {
        arrays.put(message, dy);
        message.put<std::uint64_t>(static_cast<std::uint64_t>(dx.inputs()));
        for (int i = 0; i < dx.inputs(); ++i) {
            message.put<bool>(dx.needs(i));
            message.put_shape(dx.shape(i));
        }
    }
    /// The answer to a backward.
    void hand_back(Cotangents<T> dx) {
        std::vector<std::pair<int, Tensor<T>>> handed;
        ask([&](Reader& answer) {
            constexpr std::size_t kBytes = 5;
            for (std::size_t n = answer.take_count(kBytes); n > 0; --n) {
                const int input = answer.take<std::int32_t>();
                const bool needed = answer.take<bool>();
                if (input < 0 || input >= dx.inputs() || needed != dx.needs(input)) throw Malformed("a cotangent of no input");
                handed.emplace_back(input, needed ? arrays.take(answer) : Tensor<T>());
                if (needed && !handed.back().second.defined()) throw Malformed("a cotangent is none");
            }
        });
        for (auto& [input, g] : handed) dx.add(input, g.defined() ? std::move(g) : Tensor<T>(dx.shape(input)));
    }

  private:
    PluginProcess& process_;
};

/// What a tape keeps of a call.
template <class T>
struct RemotePayload {
    NamedAttrs attrs;  // first: OpTable::payload says so
    const RemoteTable<T>* of = nullptr;
    std::uint64_t call = 0;  // in the process, of the start `generation`
    int generation = 0;
    std::int64_t kept = 0;  // bytes
    std::vector<Tensor<T>> tensors;
    std::vector<std::size_t> bytes;  // of the fields that are none
    std::vector<Tensor<T>> held;

    RemoteOp& op() const { return *const_cast<RemoteOp*>(of->op); }
};

template <class T>
RemotePayload<T>& payload_at(void* payload) {
    return *static_cast<RemotePayload<T>*>(payload);
}
template <class T>
const RemotePayload<T>& payload_at(const void* payload) {
    return *static_cast<const RemotePayload<T>*>(payload);
}

/// The inputs that the call holds on to, by their numbers, up to -1.
template <class T>
std::vector<Tensor<T>> take_held(const Arrays<T>& arrays, Reader& answer) {
    std::vector<Tensor<T>> out;
    for (int i = answer.take<std::int32_t>(); i != -1; i = answer.take<std::int32_t>()) out.push_back(arrays.at(i));
    return out;
}

template <class T>
Tensor<T> page_forward(void* at, Inputs<T> x) {
    RemotePayload<T>& p = payload_at<T>(at);
    RemoteCall<T> call(*p.op().process, Ask::forward, p.op().info.name, "", p.attrs.values, p.op().take_released());
    call.put_inputs(x);
    Tensor<T> y;
    p.kept = call.ask([&](Reader& answer) {
        y = call.arrays.take(answer);
        for (std::size_t i = 0; i < p.of->fields.size(); ++i) {
            if (p.of->fields[i].tensor)
                p.tensors[i] = call.arrays.take(answer);
            else
                p.bytes[i] = static_cast<std::size_t>(answer.take<std::uint64_t>());
        }
        p.held = take_held(call.arrays, answer);
        p.call = answer.take<std::uint64_t>();
        p.generation = p.op().process->generation();
    });
    return y;
}

template <class T>
void page_backward(const void* at, const Tensor<T>& dy, Cotangents<T> dx) {
    if constexpr (has_backward<T>) {
        const RemotePayload<T>& p = payload_at<T>(at);
        RemoteCall<T> call(*p.op().process, Ask::backward, p.op().info.name, "", p.attrs.values);
        call.message.template put<std::uint64_t>(p.call);
        for (std::size_t i = 0; i < p.of->fields.size(); ++i)
            if (p.of->fields[i].tensor) call.arrays.put(call.message, p.tensors[i]);
        call.put_cotangent(dy, dx);
        call.hand_back(std::move(dx));
    }
}

template <class T>
OpTable<T> remote_table(RemoteTable<T>& of) {
    return {
        .info = &of.op->info,
        .payload_bytes = sizeof(RemotePayload<T>),
        .payload_alignment = alignof(RemotePayload<T>),
        .construct =
            [](void* payload, const void* attrs) {
                auto* p = new (payload) RemotePayload<T>{};
                p->attrs = *static_cast<const NamedAttrs*>(attrs);
                p->of = &std::get<RemoteTable<T>>(static_cast<const RemoteOp*>(p->attrs.of)->tables);
                p->tensors.resize(p->of->fields.size());
                p->bytes.resize(p->of->fields.size());
            },
        .forward = page_forward<T>,
        .backward = page_backward<T>,
        .destroy =
            [](void* payload) {
                RemotePayload<T>& p = payload_at<T>(payload);
                if (p.call != 0 && p.generation == p.op().process->generation()) p.op().release(p.call);
                pool::add_use({.live_bytes = -p.kept});
                p.~RemotePayload<T>();
            },
        .each_saved =
            [](const void* payload, SavedVisitor<T>& visit) {
                const RemotePayload<T>& p = payload_at<T>(payload);
                for (std::size_t i = 0; i < p.of->fields.size(); ++i) {
                    const SavedField& field = p.of->fields[i];
                    if (field.tensor)
                        visit.tensor(field.name, p.tensors[i]);
                    else
                        visit.other(field.name, p.bytes[i]);
                }
            },
        .attrs_text = [](const void* payload) { return attrs_text(payload_at<T>(payload).attrs); },
        .saved_tensor = [](void* payload, std::string_view name) -> Tensor<T>* {
            RemotePayload<T>& p = payload_at<T>(payload);
            for (std::size_t i = 0; i < p.of->fields.size(); ++i)
                if (p.of->fields[i].tensor && p.of->fields[i].name == name) return &p.tensors[i];
            return nullptr;
        },
        .kernels = &of.kernels,
    };
}

/// A kernel at one element type.
template <class T>
struct RemoteKernel : KernelTable<T> {
    PluginProcess* process = nullptr;
    std::string op;
    std::vector<SavedField> fields;  ///< of the page

    RemoteCall<T> call(Ask what, const void* attrs) const {
        const AnyAttrs of = this->view_attrs(attrs);
        NamedValues values;
        for (const std::string& attr : of.names()) values.emplace_back(attr, of.get(attr));
        return {*process, what, op, this->name, std::move(values)};
    }
    /// visit(name) for each tensor that the kernel saves, visit("") for a field of the page that is none.
    template <class Visit>
    void each_saved(Visit visit) const {
        for (const std::string_view own_name : this->own) visit(own_name);
        if (this->own.empty())
            for (const SavedField& f : fields) visit(f.tensor ? std::string_view(f.name) : std::string_view());
    }
};

template <class T>
const RemoteKernel<T>& remote(const KernelTable<T>& kernel) {
    return static_cast<const RemoteKernel<T>&>(kernel);
}

template <class T>
bool kernel_fits(const KernelTable<T>& self, const void* attrs, const InputShapes& x) {
    RemoteCall<T> call = remote(self).call(Ask::fits, attrs);
    call.message.template put<std::uint64_t>(static_cast<std::uint64_t>(x.size()));
    for (int i = 0; i < x.size(); ++i) {
        call.message.template put<bool>(x.has(i));
        if (x.has(i)) call.message.put_shape(x[i]);
    }
    bool fits = false;
    call.ask([&](Reader& answer) { fits = answer.take<bool>(); });
    return fits;
}

template <class T>
Tensor<T> kernel_forward(const KernelTable<T>& self, const void* attrs, Inputs<T> x, SavedTensors<T>& saved) {
    RemoteCall<T> call = remote(self).call(Ask::forward, attrs);
    call.put_inputs(x);
    Tensor<T> y;
    call.ask([&](Reader& answer) {
        y = call.arrays.take(answer);
        remote(self).each_saved([&](std::string_view name) {
            if (name.empty())
                answer.take<std::uint64_t>();
            else
                saved[name] = call.arrays.take(answer);
        });
        take_held(call.arrays, answer);
    });
    return y;
}

template <class T>
void kernel_backward(const KernelTable<T>& self, const void* attrs, const SavedTensors<T>& saved, const Tensor<T>& dy,
                     Cotangents<T> dx) {
    RemoteCall<T> call = remote(self).call(Ask::backward, attrs);
    call.message.template put<std::uint64_t>(0);
    remote(self).each_saved([&](std::string_view name) {
        if (!name.empty()) call.arrays.put(call.message, saved[name]);
    });
    call.put_cotangent(dy, dx);
    call.hand_back(std::move(dx));
}

}  // namespace gradproof::cli
