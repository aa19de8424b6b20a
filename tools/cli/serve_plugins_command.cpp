// `gradproof serve-plugins`: the process in which plugins run. It loads them, calls their ops and hands back arrays; not for
// people.
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <optional>

#include "gradproof/core/check/subject.hpp"
#include "gradproof/core/kernel.hpp"
#include "tools/cli/command_line.hpp"
#include "tools/cli/plugin_calls.hpp"
#include "tools/cli/plugin_description.hpp"
#include "tools/cli/plugin_payload.hpp"

namespace gradproof::cli {
namespace {

/// An optional attribute that is not set comes as "none", which it does not take.
AnyAttrs attrs_of(const OpEntry& op, const CallHead& head) {
    AnyAttrs out = op.default_attrs();
    for (const auto& [name, value] : head.attrs) {
        try {
            out.set(name, value);
        } catch (const ValueError&) {
            const auto* word = std::get_if<std::string>(&value);
            if (word == nullptr || *word != "none") throw;
        }
    }
    return out;
}

template <class T>
const KernelTable<T>* kernel_of(const OpEntry& op, const std::string& name) {
    if constexpr (takes_kernels<T>)
        for (const KernelEntry& k : op.kernels)
            if (k.info.name == name) return k.table<T>();
    return nullptr;
}

/// run(), which writes its results to `out`, or what it threw in their place; that may be anything.
template <class F>
void answer_of(Writer& out, F run) {
    const auto write = [&](Answer how, std::string_view text) {
        out.clear();
        out.put<std::uint8_t>(static_cast<std::uint8_t>(how));
        out.put_text(text);
    };
    try {
        out.put<std::uint8_t>(static_cast<std::uint8_t>(Answer::done));
        run();
    } catch (const ShapeError& e) {
        write(Answer::shape_error, e.what());
    } catch (const ValueError& e) {
        write(Answer::value_error, e.what());
    } catch (const TapeError& e) {
        write(Answer::tape_error, e.what());
    } catch (const IoError& e) {
        write(Answer::io_error, e.what());
    } catch (const std::exception& e) {
        write(Answer::exception, e.what());
    } catch (...) {
        write(Answer::no_exception, {});
    }
}

/// What carries the backward of a call on a tape: that calls `run` with the cotangents that are wanted.
template <class T>
using Backward = std::function<void(const Tensor<T>& dy, Cotangents<T> dx)>;
struct Carrier {
    static constexpr OpInfo info{.name = "", .inputs = "", .forward = "", .backward = "", .saves = "", .source = ""};
    struct Attrs {
        const void* run;
        Shape shape;
        static void fields(auto&, auto&&) {}
    };
    template <Scalar T>
    struct Saved {
        static void fields(auto&, auto&&) {}
    };
    template <Scalar T>
    static Tensor<T> forward(const Attrs& attrs, Inputs<T>, Saved<T>&) {
        return Tensor<T>(attrs.shape);
    }
    template <Scalar T>
    static void backward(const Attrs& attrs, const Saved<T>&, const Tensor<T>& dy, Cotangents<T> dx) {
        (*static_cast<const Backward<T>*>(attrs.run))(dy, std::move(dx));
    }
};

/// The cotangents that a backward hands back, in their order; none where one was not needed.
template <class T>
struct Handed final : CotangentHook<T> {
    std::vector<std::pair<int, std::optional<Tensor<T>>>> all;
    bool on_add(int, int input, Tensor<T>& g) override {
        all.emplace_back(input, g);
        return false;
    }
    void on_unneeded(int, int input) override { all.emplace_back(input, std::nullopt); }
};

std::map<std::uint64_t, std::shared_ptr<void>> kept_payloads;  // the payloads of calls that wait for their backward

template <class T>
class Service {
  public:
    Service(const CallHead& head, Reader& in)
        : head_(head),
          in_(in),
          op_(registry().find(head.op)),
          kernel_(kernel_of<T>(op_, head.kernel)),
          threads_(head.threads),
          by_(head.kernels) {
        if (!head.kernel.empty() && kernel_ == nullptr) value_error("{}: no kernel named {}", head.op, head.kernel);
        if (head.guard_value >= 0) guards_.emplace(static_cast<unsigned char>(head.guard_value));
        if (head.poison) poison_.emplace();
    }

    /// The answer to `run`, with what else the call did.
    void answer(Writer& out, void (Service::*run)(Writer& out)) {
        answer_of(out, [&] { (this->*run)(out); });
        if (!counted_) count_use();
        write_effects(arrays_, guards_ ? guards_->breaches() : std::vector<pool::Breach>{}, use_, out);
    }

    void fits(Writer& out) {
        std::vector<Tensor<T>> x(in_.take_count());
        for (Tensor<T>& t : x)
            if (in_.take<bool>()) t = Tensor<T>(in_.take_shape(0));
        std::vector<const Tensor<T>*> inputs;
        for (const Tensor<T>& t : x) inputs.push_back(&t);
        const AnyAttrs attrs = attrs_of(op_, head_);
        before_ = pool::use();
        const bool fits =
            kernel_->fits(*kernel_, attrs.get(), InputShapes(Inputs<T>(inputs.data(), static_cast<int>(inputs.size()))));
        count_use();
        out.put<bool>(fits);
    }

    void forward(Writer& out) {
        const std::size_t n = in_.take_count();
        for (std::size_t i = 0; i < n; ++i) arrays_.take(in_);
        std::vector<const Tensor<T>*> pointers;
        for (std::size_t i = 0; i < n; ++i) pointers.push_back(&arrays_.at(static_cast<int>(i)));
        const Inputs<T> x(pointers.data(), static_cast<int>(n));
        const AnyAttrs attrs = attrs_of(op_, head_);
        before_ = pool::use();
        auto payload = std::make_shared<Payload<T>>(op_, attrs);
        Tensor<T> y = run_forward(*payload, x);
        count_use();
        const std::vector<typename Fields<T>::One> saved = fields_of(*payload);
        std::vector<int> held = look_for_more(y, saved, static_cast<int>(n));
        arrays_.put(out, y);
        for (const auto& f : saved) {
            if (f.tensor)
                arrays_.put(out, *f.tensor);
            else
                out.put<std::uint64_t>(f.bytes);
        }
        for (const int i : held) out.put<std::int32_t>(i);
        out.put<std::int32_t>(-1);
        if (kernel_ == nullptr) {
            static std::uint64_t last = 0;
            kept_payloads[++last] = std::move(payload);
            out.put<std::uint64_t>(last);
        }
    }

    void backward(Writer& out) {
        if constexpr (!has_backward<T>) {
            throw Malformed("there is no backward of this type");
        } else {
            counted_ = true;  // nobody asks what a backward takes
            const auto call = in_.take<std::uint64_t>();
            const AnyAttrs attrs = attrs_of(op_, head_);
            const auto at = kept_payloads.find(call);
            const auto payload = at == kept_payloads.end() ? std::make_shared<Payload<T>>(op_, attrs)
                                                           : std::static_pointer_cast<Payload<T>>(at->second);
            take_saved(*payload);
            const Tensor<T> dy = arrays_.take(in_);
            // What the tape refers to outlives it, also when the page throws.
            const Backward<T> run = [&](const Tensor<T>& cotangent, Cotangents<T> dx) {
                run_backward(*payload, cotangent, std::move(dx));
            };
            OpTable<T> table = op_table<Carrier, T>();
            table.info = &op_.info;
            Handed<T> handed;
            Tape<T> tape;
            std::vector<Var<T>> vars;
            for (std::size_t n = in_.take_count(); n > 0; --n) {
                const bool needs = in_.take<bool>();
                Tensor<T> x(in_.take_shape(0));
                vars.push_back(needs ? tape.leaf(std::move(x)) : Var<T>(std::move(x)));
            }
            std::vector<const Var<T>*> pointers;
            for (const Var<T>& v : vars) pointers.push_back(&v);
            const Carrier::Attrs carried{&run, dy.shape()};
            const Var<T> y = tape.record(table, &carried, pointers);
            tape.set_hook(&handed);
            tape.backward(y, dy);
            out.put<std::uint64_t>(handed.all.size());
            for (const auto& [input, g] : handed.all) {
                out.put<std::int32_t>(input);
                out.put<bool>(g.has_value());
                if (g) arrays_.put(out, *g);
            }
        }
    }

  private:
    void count_use() {
        const pool::Use now = pool::use();
        use_ = {now.allocations - before_.allocations, now.bytes - before_.bytes, now.live_bytes - before_.live_bytes};
        counted_ = true;
    }

    SavedTensors<T> saved(const Payload<T>& payload) {
        if (kernel_->own.empty()) return {payload.table(), payload.get()};
        own_.resize(kernel_->own.size());
        return {payload.table(), *kernel_, own_.data()};
    }
    Tensor<T> run_forward(const Payload<T>& payload, Inputs<T> x) {
        if constexpr (takes_kernels<T>)
            if (kernel_ != nullptr) {
                SavedTensors<T> to = saved(payload);
                return kernel_->forward(*kernel_, payload.get(), x, to);
            }
        return payload.table().forward(payload.get(), x);
    }
    void run_backward(const Payload<T>& payload, const Tensor<T>& dy, Cotangents<T> dx) {
        if constexpr (takes_kernels<T>)
            if (kernel_ != nullptr) return kernel_->backward(*kernel_, payload.get(), saved(payload), dy, std::move(dx));
        payload.table().backward(payload.get(), dy, std::move(dx));
    }

    /// What the call saved: the kernel's own tensors, or the fields of the page.
    std::vector<typename Fields<T>::One> fields_of(const Payload<T>& payload) {
        Fields<T> fields;
        if (!own_.empty())
            for (std::size_t i = 0; i < own_.size(); ++i) fields.tensor(kernel_->own[i], own_[i]);
        else
            payload.table().each_saved(payload.get(), fields);
        return fields.all;
    }
    void take_saved(const Payload<T>& payload) {
        if (kernel_ != nullptr && !kernel_->own.empty()) {
            for (std::size_t i = 0; i < kernel_->own.size(); ++i) own_.push_back(arrays_.take(in_));
            return;
        }
        for (const auto& f : fields_of(payload))
            if (f.tensor) *payload.table().saved_tensor(payload.get(), f.name) = arrays_.take(in_);
    }

    /// Takes from what was counted the tensors that go back as such: the other side counts its own. Returns the inputs that the
    /// call holds on to beside those.
    std::vector<int> look_for_more(const Tensor<T>& y, const std::vector<typename Fields<T>::One>& saved, int inputs) {
        std::vector<Tensor<T>> results;
        const auto among_results = [&](const Tensor<T>& t) {
            return std::any_of(results.begin(), results.end(), [&](const auto& o) { return o.shares_buffer_with(t); });
        };
        const auto account = [&](const Tensor<T>& t) {
            const bool known = among_results(t) || arrays_.find(t.data()) >= 0;
            const std::int64_t header = t.is_view() ? static_cast<std::int64_t>(pool::block_bytes(detail::kHeaderBytes)) : 0;
            const std::int64_t bytes =
                header + (known ? 0 : static_cast<std::int64_t>(pool::block_bytes(detail::kHeaderBytes + t.bytes())));
            use_.allocations -= bytes > 0 ? 1 : 0;
            use_.bytes -= bytes;
            use_.live_bytes -= bytes;
            results.push_back(t);
        };
        if (y.defined()) account(y);
        for (const auto& f : saved)
            if (f.tensor && f.tensor->defined()) account(*f.tensor);
        std::vector<int> held;
        for (int i = 0; i < inputs; ++i) {
            const Tensor<T>& x = arrays_.at(i);
            if (x.defined() && !x.is_view() && !x.unique() && !among_results(x)) held.push_back(i);
        }
        return held;
    }

    const CallHead& head_;
    Reader& in_;
    const OpEntry& op_;
    const KernelTable<T>* kernel_;
    ThreadScope threads_;
    KernelScope by_;
    std::optional<pool::GuardScope> guards_;
    std::optional<pool::PoisonScope> poison_;
    Arrays<T> arrays_;
    std::vector<Tensor<T>> own_;
    pool::Use before_ = pool::use(), use_{};
    bool counted_ = false;
};

template <class T>
void call(Ask what, const CallHead& head, Reader& in, Writer& out) try {
    Service<T> service(head, in);
    service.answer(out, what == Ask::fits      ? &Service<T>::fits
                        : what == Ask::forward ? &Service<T>::forward
                                               : &Service<T>::backward);
} catch (...) {  // before the call began
    answer_of(out, [] { throw; });
    write_effects(Arrays<T>(), {}, {}, out);
}

void call(Ask what, Reader& in, Writer& out) {
    const CallHead head = CallHead::read(in);
    for (const std::uint64_t gone : head.released) kept_payloads.erase(gone);
#define GRADPROOF_CALL(T) \
    if (head.type == kType<T>) return call<T>(what, head, in, out);
    GRADPROOF_FOR_PLUGIN_SCALARS(GRADPROOF_CALL)
#undef GRADPROOF_CALL
    value_error("a plugin is called at element type {}, expected 0 to {}", head.type, kTypes - 1);
}

/// Dies with its parent, leaves no core file behind, and has nothing open but its messages and what it prints.
void become_a_process_of_plugins() {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
#ifdef SYS_close_range
    ::syscall(SYS_close_range, kPluginFd + 1U, ~0U, 0U);
#endif
}

[[noreturn]] void serve() {
    become_a_process_of_plugins();
    PluginService service(kPluginFd);
    while (true) {
        Reader in = service.next();
        Writer out;
        const auto what = static_cast<Ask>(in.take_number(static_cast<int>(Ask::count)));
        if (what >= Ask::fits)
            call(what, in, out);
        else
            answer_of(out, [&] {
                (what == Ask::load      ? load_and_describe
                 : what == Ask::samples ? describe_samples
                                        : describe_error_samples)(in, out);
            });
        service.answer(out);
    }
}

void set_up_serve(const Command& command) {
    command.hide();  // this program calls itself
    command.runs([]() -> int { serve(); });
}
const NewCommand kServe("serve-plugins", "Runs the code of plugins, for the program itself", set_up_serve);

}  // namespace

}  // namespace gradproof::cli
