// How a long call is followed and ended: a flag to stop it, a deadline, a bound on its memory, and its progress.
//
//   std::atomic<bool> stop{false};                                        // another thread, or a signal, sets it
//   Control control{.stop = &stop, .deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2), .memory = 1 << 30};
//   control.progress = [](std::int64_t done, std::int64_t total, std::string_view what) { ... };
//   check_proof(text, {}, control);                                       // a report, or Stopped
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "gradproof/core/platform/call_state.hpp"

namespace gradproof {

/// What a long call of the library keeps to. Each call, from whatever thread, has its own, also the threads that work for it.
struct Control {
    const std::atomic<bool>* stop = nullptr;                          ///< true: end
    std::optional<std::chrono::steady_clock::time_point> deadline{};  ///< end then
    std::optional<std::int64_t> memory{};  ///< bytes by which the call may add to the tensors there are
    /// Called as each part of the work begins, by one thread at a time: `begun` of `total` parts began before it, which is
    /// `what`. The total grows as more is found to do. What it throws ends the call; what it calls is no part of the call.
    std::function<void(std::int64_t begun, std::int64_t total, std::string_view what)> progress{};
};

/// A call that was ended by its Control: "check_proof: stopped: the deadline has passed; 3 of 12 parts had begun".
class Stopped : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// While one lives the calling thread, and those that work for it, keep to a control as well as to those already in force.
class ControlScope {
  public:
    /// `name` is that of the function, for the text of Stopped. A control that asks for nothing changes nothing.
    ControlScope(const Control& control, std::string_view name);
    ~ControlScope();
    ControlScope(const ControlScope&) = delete;
    ControlScope& operator=(const ControlScope&) = delete;

  private:
    std::unique_ptr<detail::Call> call_;
};

/// Errors: Stopped where a control in force ends the call. Each new tensor and each piece of a parallel loop asks as well.
void checkpoint();
/// Adds so many parts to the total of the controls in force.
void expect_parts(std::int64_t count);
/// One of these parts begins: that before it is done. Errors: Stopped, or what the progress function throws.
void begin_part(std::string_view what);

}  // namespace gradproof
