// Parts of the train command: Ctrl-C, words quoted for a shell, and the trace.
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/io/npz.hpp"
#include "gradproof/core/platform/files.hpp"
#include "tools/cli/train_command.hpp"

namespace gradproof::cli {
namespace {

namespace fs = std::filesystem;

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace

InterruptScope::InterruptScope() {
    interrupted = false;
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    sigaction(SIGINT, &action, &old_int_);
    sigaction(SIGTERM, &action, &old_term_);
}
InterruptScope::~InterruptScope() {
    sigaction(SIGINT, &old_int_, nullptr);
    sigaction(SIGTERM, &old_term_, nullptr);
}
const std::atomic<bool>* InterruptScope::stop() const { return &interrupted; }

std::string shell_word(const std::string& text) {
    if (!text.empty() &&
        text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+=:,@%") == std::string::npos)
        return text;
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
    return out + "'";
}

Trace::Trace(const std::string& path, const TrainingRun& run) : path_(path) {
    if (path.empty()) return;
    if (fs::path(path).extension() != ".npz") value_error("train: --trace is {}, expected a name that ends in .npz", path);
    expect_writable(path);
    for (NamedArray& a : run.tensors())
        if (a.name.rfind("optimiser.", 0) != 0) arrays_.push_back({"initial/" + a.name, std::move(a.array)});
}

void Trace::before_step(std::vector<Index> batch) { batches_.push_back(std::move(batch)); }

void Trace::after_step(const StepReport& s) {
    losses_.push_back(s.loss);
    rates_.push_back(s.rate);
}

void Trace::write(const Shape& batch_shape, std::vector<NamedArray> more) {
    const auto steps = static_cast<Index>(losses_.size());
    Shape shape{steps};
    for (const Index size : batch_shape) shape.push_back(size);
    Tensor<Index> batches(shape, -1);
    for (Index i = 0; i < steps; ++i)
        std::copy(batches_[static_cast<std::size_t>(i)].begin(), batches_[static_cast<std::size_t>(i)].end(),
                  batches.data() + i * batch_shape.size());
    for (NamedArray& a : more) arrays_.push_back(std::move(a));
    arrays_.push_back({"batches", from_tensor(batches)});
    arrays_.push_back({"rates", from_tensor(Tensor<double>::from({steps}, std::span<const double>(rates_)))});
    arrays_.push_back({"losses", from_tensor(Tensor<double>::from({steps}, std::span<const double>(losses_)))});
    write_npz(path_, arrays_);
}

}  // namespace gradproof::cli
