// What is in force in a call: its control, threads, kernels and poison, also in the threads that work for it; calls side by side.
#include "gradproof/core/platform/control.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include <nlohmann/json.hpp>

#include "gradproof/core/check/contracts.hpp"
#include "gradproof/core/kernel.hpp"
#include "gradproof/core/platform/threads.hpp"
#include "gradproof/core/proof/checker.hpp"
#include "gradproof/core/proof/documents/replay.hpp"
#include "gradproof/ops/matmul.hpp"
#include "gradproof/ops/softmax.hpp"
#include "tests/support.hpp"

namespace gradproof {
namespace {

using testing::error_of;

const std::string kProof =
    "dims n m d\ninput X [n, m], W [m, d]\nforward\n  Y = X W\nclaim\n  dX = dY W^T\n  dW = X^T dY\n  dW = -X^T dY\n";

std::string report(const Control& control = {}) { return to_json(proof::check_proof(kProof, {}, control)); }

TEST(Control, StopsAndSaysHowFarItGot) {
    std::atomic<bool> stop{false};
    Control control{.stop = &stop};
    control.progress = [&](std::int64_t done, std::int64_t, std::string_view) { stop = done == 1; };
    EXPECT_EQ(error_of([&] { report(control); }), "check_proof: stopped: it was asked to; 2 of 3 parts had begun");
    EXPECT_THROW(report({.stop = &stop}), Stopped);
    EXPECT_EQ(error_of([&] { report({.deadline = std::chrono::steady_clock::now()}); }),
              "check_proof: stopped: the deadline has passed; 0 of 0 parts had begun");
    EXPECT_EQ(error_of([&] { report({.memory = 1000}); }),
              "check_proof: stopped: it needs 1024 bytes of memory, and may take 1000; 0 of 0 parts had begun");
}

TEST(Control, ACallThatKeepsToItIsAsWithout) {
    std::atomic<bool> stop{false};
    const Control control{.stop = &stop, .deadline = std::chrono::steady_clock::now() + std::chrono::hours(1), .memory = 1 << 30};
    EXPECT_EQ(report(control), report());
}

TEST(Control, ProgressNamesTheLinesAndMayThrow) {
    std::vector<std::string> seen;
    Control control;
    control.progress = [&](std::int64_t done, std::int64_t total, std::string_view what) {
        seen.push_back(fmt::format("{}/{} {}", done, total, what));
        if (seen.size() == 4) throw std::out_of_range("enough");
    };
    report(control);
    EXPECT_EQ(seen, (std::vector<std::string>{"0/3 dX = dY W^T", "1/3 dW = X^T dY", "2/3 dW = -X^T dY"}));
    EXPECT_THROW(report(control), std::out_of_range);
    EXPECT_EQ(report(), report());  // nothing is left of it
}

TEST(Control, EveryLongCallKeepsToIt) {
    const std::atomic<bool> stop{true};
    const Control control{.stop = &stop};
    const auto proofs = proof::read_proofs("a.proof", "input X = [[1.0, 2.0]]\nforward\n  Y = X * X\n");
    const std::string numbers = "#! document D\ninput x = 2\nforward\n  y = x x\nexpect\n  y = 4\n";
    const auto two = std::vector<NamedArray>{{"Y", from_tensor(ones<double>({1, 2}))}};
    const std::vector<std::pair<std::string, std::function<void()>>> calls{
        {"check_proof", [&] { proof::check_proof(kProof, {}, control); }},
        {"check_proof", [&] { proof::check_proof(proofs[0], {}, control); }},
        {"check_markdown", [&] { proof::check_markdown("```proof\n" + kProof + "```\n", {}, control); }},
        {"check_file", [&] { proof::check_file("a.proof", kProof, {}, control); }},
        {"derive", [&] { proof::derive(proofs[0], {}, control); }},
        {"derive_tangents", [&] { proof::derive_tangents(proofs[0], {}, control); }},
        {"explain", [&] { proof::explain(proofs[0], {}, control); }},
        {"explain_cell", [&] { proof::explain_cell(proofs, "Y[0,1]", {}, control); }},
        {"judge_exercise", [&] { proof::judge_exercise(proof::find_exercise("1"), "0", {}, control); }},
        {"compare", [&] { proof::compare(proofs[0], {}, two, {}, control); }},
        {"replay", [&] { proof::replay(proof::read_document("d", numbers), control); }},
        {"check_op", [&] { check::check_op(registry().find("softmax"), {}, control); }},
        {"check_ops", [&] { check::check_ops({&registry().find("softmax")}, {}, control); }},
        {"check_all", [&] { check::check_all({}, control); }},
    };
    for (const auto& [name, call] : calls) {
        EXPECT_THROW(call(), Stopped) << name;
        EXPECT_EQ(error_of(call), name + ": stopped: it was asked to; 0 of 0 parts had begun");
    }
}

TEST(Control, ContractsAreEndedInTheMiddle) {
    std::atomic<bool> stop{false};
    Control control{.stop = &stop};
    for (const int at : {0, 5, 30}) {
        stop = false;
        control.progress = [&](std::int64_t done, std::int64_t, std::string_view) { stop = done >= at; };
        EXPECT_THROW(check::check_op(registry().find("softmax"), {}, control), Stopped) << at;
    }
    EXPECT_EQ(
        error_of([] { check::check_op(registry().find("softmax"), {}, {.memory = 5000}); }).find("check_op: stopped: it needs"),
        0U);
}

TEST(Control, AnInnerCallKeepsToTheOuterToo) {
    std::atomic<bool> stop{false};
    int parts = 0;
    Control outer{.stop = &stop};
    outer.progress = [&](std::int64_t, std::int64_t, std::string_view) { ++parts; };
    const ControlScope scope(outer, "outer");
    EXPECT_EQ(report({.memory = 1 << 30}), report());
    EXPECT_EQ(parts, 6);
    stop = true;
    EXPECT_EQ(error_of([] { report({.memory = 1 << 30}); }), "outer: stopped: it was asked to; 6 of 6 parts had begun");
}

/// It was entered again by what it called, without end, and waited for helpers that waited for it.
TEST(Control, AProgressFunctionMayCallTheLibrary) {
    int entered = 0;
    Control control{.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(50)};
    control.progress = [&](std::int64_t, std::int64_t, std::string_view) {
        ++entered;
        report();
        const ThreadScope by(4);
        parallel_for(16, 1, [](Index, Index) { std::this_thread::sleep_for(std::chrono::milliseconds(10)); });
    };
    try {
        report(control);
    } catch (const Stopped&) {
    }
    EXPECT_GE(entered, 1);
    EXPECT_LE(entered, 3);
}

TEST(Scopes, AreInForceInTheThreadsThatWorkForTheCall) {
    std::atomic<int> plain{0}, poisoned{0}, three{0};
    std::atomic<bool> stop{false};
    const auto count = [&] {
        plain = poisoned = three = 0;
        parallel_for(64, 1, [&](Index, Index) {
            std::this_thread::sleep_for(std::chrono::microseconds(200));  // so that helpers come in
            plain += in_plain_scope();
            poisoned += pool::poisoning();
            three += threads() == 3;
        });
    };
    {
        const ThreadScope by(3);
        const KernelScope kernels("plain");
        const pool::PoisonScope poison;
        const ControlScope control({.stop = &stop}, "loop");
        count();
        EXPECT_EQ(plain, 64);
        EXPECT_EQ(poisoned, 64);
        EXPECT_EQ(three, 64);
        std::thread([&] { EXPECT_FALSE(pool::poisoning() || in_plain_scope()); }).join();  // another call
        EXPECT_EQ(error_of([&] {
                      parallel_for(64, 1, [&](Index, Index) {
                          stop = true;
                          std::this_thread::sleep_for(std::chrono::microseconds(200));
                      });
                  }),
                  "loop: stopped: it was asked to; 0 of 0 parts had begun");
    }
    const ThreadScope by(4);
    count();
    EXPECT_EQ(plain + poisoned + three, 0);
}

/// A report on the contracts, without the times.
std::string contracts_of(const std::string& op) {
    auto json = nlohmann::json::parse(check::json(check::check_ops({&registry().find(op)}, {})));
    json.erase("seconds");
    for (auto& o : json["ops"]) o.erase("ms");
    return json.dump();
}

/// Products large enough for several threads, by the kernels that `choice` says.
std::string products(const char* choice) {
    const KernelScope scope(choice);
    Random random(1);
    const auto a = random.normal<float>({200, 190}), b = random.normal<float>({190, 180});
    const auto y = softmax(matmul(a, b));
    return std::string(reinterpret_cast<const char*>(y.data()), y.bytes());
}

TEST(Calls, SideBySideGiveTheReportsOfOneAfterTheOther) {
    using Call = std::function<std::string()>;
    const auto explained = [](const char* name) {
        return to_json(proof::explain(proof::read_proofs(name, proof::library_text(name))[0]));
    };
    const std::vector<Call> calls{
        [] { return report({.memory = 1 << 30}); },
        [] { return contracts_of("softmax"); },
        [] { return to_json(proof::check_proof(proof::library_text("softmax_rows"))); },
        [] { return products("plain"); },
        [] { return contracts_of("tanh"); },
        [&] { return explained("attention"); },
        [] { return products("auto"); },
        [] { return to_text(proof::judge_exercise(proof::find_exercise("1"), "0")); },
    };
    const ThreadScope by(2);
    std::vector<std::string> alone;
    for (const Call& call : calls) alone.push_back(call());
    for (const std::size_t callers : {2U, 4U}) {
        std::vector<std::string> beside(calls.size());
        std::vector<std::thread> running;
        for (std::size_t t = 0; t < callers; ++t)
            running.emplace_back([&, t] {
                const ThreadScope two(2);
                for (std::size_t i = t; i < calls.size(); i += callers) beside[i] = calls[i]();
            });
        for (std::thread& t : running) t.join();
        for (std::size_t i = 0; i < calls.size(); ++i) EXPECT_EQ(beside[i], alone[i]) << i << " of " << callers;
    }
}

}  // namespace
}  // namespace gradproof
