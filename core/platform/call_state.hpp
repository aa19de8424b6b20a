// The state of one call of the library: kept by its thread, and handed to every thread that works for it. Not for users, who
// write ControlScope, ThreadScope, PoisonScope, GuardScope and KernelScope.
#pragma once

#include <cstddef>
#include <string_view>

namespace gradproof::pool {
class GuardScope;
}

namespace gradproof::detail {

class Call;  ///< the control in force, in control.cpp

struct CallState {
    Call* call = nullptr;
    int threads = 0;  ///< 0: as many as set_threads says
    int poison = 0;   ///< how many PoisonScopes are open
    pool::GuardScope* guards = nullptr;
    int kernel_mode = 0;
    std::string_view kernel{};  ///< the choice of a KernelScope, in kernel.cpp
};
// Read without a function call, also in a library that is loaded late.
extern thread_local constinit __attribute__((tls_model("initial-exec"))) CallState call_state;

/// While one lives, this thread works for a call.
class WorksFor {
  public:
    explicit WorksFor(const CallState& call) : before_(call_state) { call_state = call; }
    ~WorksFor() { call_state = before_; }
    WorksFor(const WorksFor&) = delete;
    WorksFor& operator=(const WorksFor&) = delete;

  private:
    CallState before_;
};

/// Notes a block of memory that the call takes. Errors: Stopped.
void took(Call& call, std::size_t bytes);
void gave_back(Call& call, std::size_t bytes) noexcept;

}  // namespace gradproof::detail
