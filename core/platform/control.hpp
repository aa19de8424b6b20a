// How a long call is followed and ended: a flag to stop it, a deadline, a bound on its memory, and its progress.
//
//   std::atomic<bool> stop{false};                                        // another thread, or a signal, sets it
//   Control control{.stop = &stop, .deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2), .memory = 1 << 30};
//   control.progress = [](std::int64_t begun, std::int64_t total, std::string_view what) { ... };
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

/// The limits of a long call. They apply to this call and to the threads that work for it, not to other calls.
struct Control {
    const std::atomic<bool>* stop = nullptr;                          ///< the call ends soon after this becomes true
    std::optional<std::chrono::steady_clock::time_point> deadline{};  ///< the call ends then
    std::optional<std::int64_t> memory{};  ///< most bytes of new tensors that the call may hold at once
    /// Called as each part of the work begins, by one thread at a time. `what` names the part; `begun` of `total` parts began
    /// before it. The total grows as more work is found. An exception that it throws ends the call. A library call made inside
    /// `progress` does not inherit this Control.
    std::function<void(std::int64_t begun, std::int64_t total, std::string_view what)> progress{};
};

/// A call that was ended by its Control: "check_proof: stopped: the deadline has passed; 3 of 12 parts had begun".
class Stopped : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// While one lives, a control applies to the calling thread and to those that work for it, besides the controls already in force.
class ControlScope {
  public:
    /// `name` is the function's name, for the text of Stopped. An empty control changes nothing.
    ControlScope(const Control& control, std::string_view name);
    ~ControlScope();
    ControlScope(const ControlScope&) = delete;
    ControlScope& operator=(const ControlScope&) = delete;

  private:
    std::unique_ptr<detail::Call> call_;
};

/// Errors: Stopped if a control in force ends the call. Each new tensor and each piece of a parallel loop checks this too.
void checkpoint();
/// Adds `count` parts to the total of the controls in force.
void expect_parts(std::int64_t count);
/// Says that one of these parts begins, and so that the part before it is done. Errors: Stopped, or what `progress` throws.
void begin_part(std::string_view what);

}  // namespace gradproof
