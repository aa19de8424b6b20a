// The controls in force, and when they end a call.
#include "gradproof/core/platform/control.hpp"

#include <mutex>
#include <string>

#include "gradproof/core/errors.hpp"

namespace gradproof {
namespace detail {

thread_local constinit CallState call_state{};

class Call {
  public:
    Call(const Control& control, std::string_view name, Call* around) : outer(around), control_(control), name_(name) {}

    void check() {
        if (ended_.load(std::memory_order_relaxed)) end("");
        if (control_.stop != nullptr && control_.stop->load(std::memory_order_relaxed)) end("it was asked to");
        if (control_.deadline && std::chrono::steady_clock::now() >= *control_.deadline) end("the deadline has passed");
    }
    void took(std::int64_t bytes) {
        check();
        const std::int64_t live = live_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
        if (!control_.memory || live <= *control_.memory) return;
        live_.fetch_sub(bytes, std::memory_order_relaxed);
        end(fmt::format("it needs {} bytes of memory, and may take {}", live, *control_.memory));
    }
    void gave_back(std::int64_t bytes) noexcept { live_.fetch_sub(bytes, std::memory_order_relaxed); }

    void expect(std::int64_t parts) { total_ += parts; }
    void begin(std::string_view what) {
        const std::lock_guard lock(progress_mutex_);
        check();
        if (control_.progress) {
            CallState outside = call_state;  // what a progress function calls is no part of this call
            outside.call = outer;
            const WorksFor caller(outside);
            control_.progress(begun_, total_, what);
        }
        ++begun_;
    }

    Call* const outer;

  private:
    /// Once ended it stays so: what swallows the error meets it again.
    [[noreturn]] void end(const std::string& why) {
        const std::lock_guard lock(text_mutex_);
        if (!ended_) text_ = fmt::format("{}: stopped: {}; {} of {} parts had begun", name_, why, begun_.load(), total_.load());
        ended_ = true;
        throw Stopped(text_);
    }

    const Control control_;
    const std::string name_;
    std::atomic<bool> ended_{false};
    std::atomic<std::int64_t> live_{0}, total_{0}, begun_{0};
    std::mutex progress_mutex_, text_mutex_;
    std::string text_;
};

void took(Call& call, std::size_t bytes) {
    const auto n = static_cast<std::int64_t>(bytes);
    for (Call* c = &call; c != nullptr; c = c->outer) {
        try {
            c->took(n);
        } catch (...) {
            for (Call* inner = &call; inner != c; inner = inner->outer) inner->gave_back(n);
            throw;
        }
    }
}
void gave_back(Call& call, std::size_t bytes) noexcept {
    for (Call* c = &call; c != nullptr; c = c->outer) c->gave_back(static_cast<std::int64_t>(bytes));
}

}  // namespace detail

namespace {

template <class F>
void each_call(F f) {
    for (detail::Call* c = detail::call_state.call; c != nullptr; c = c->outer) f(*c);
}

}  // namespace

ControlScope::ControlScope(const Control& control, std::string_view name) {
    if (control.stop == nullptr && !control.deadline && !control.memory && !control.progress) return;
    call_ = std::make_unique<detail::Call>(control, name, detail::call_state.call);
    call_->check();
    detail::call_state.call = call_.get();
}
ControlScope::~ControlScope() {
    if (call_) detail::call_state.call = call_->outer;
}

void checkpoint() {
    each_call([](detail::Call& c) { c.check(); });
}
void expect_parts(std::int64_t count) {
    each_call([=](detail::Call& c) { c.expect(count); });
}
void begin_part(std::string_view what) {
    each_call([=](detail::Call& c) { c.begin(what); });
}

}  // namespace gradproof
