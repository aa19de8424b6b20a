// A program that is run beside its reading: here by a stand-in that computes what a test says.
#include "gradproof/core/proof/judge/run_beside.hpp"

#include <gtest/gtest.h>

#include "gradproof/core/check/json.hpp"
#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/judge/annotations.hpp"
#include "gradproof/core/proof/judge/run_exchange.hpp"
#include "tests/core/proof/judged.hpp"

namespace gradproof::proof {
namespace {

using check::Json;

constexpr const char* kProgram = R"(# gradproof: dims n; input x [n]; const c [n]
y = 3 * x + c
loss = np.sum(y ** 2)
dy = 2 * y
dx = 3 * dy
)";

/// What the lines of kProgram compute in a case, by how they begin.
using Computed = std::map<std::string, std::vector<double>>;
using Change = std::function<void(Computed&)>;

std::vector<double> values_of(const Json& array) { return array.at("values").get<std::vector<double>>(); }

Computed computed(const Json& given) {
    const std::vector<double> x = values_of(given["inputs"]["x"]), c = values_of(given["inputs"]["c"]);
    Computed out{{"y =", {}}, {"loss", {0}}, {"dy", {}}, {"dx", {}}};
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double y = 3 * x[i] + c[i];
        out["y ="].push_back(y);
        out["loss"][0] += y * y;
        out["dy"].push_back(2 * y);
        out["dx"].push_back(6 * y);
    }
    return out;
}
Json array_of(const std::vector<double>& values, bool number, bool narrow = false) {
    Json shape = Json::array();
    if (!number) shape.push_back(values.size());
    Json numbers = Json::array();
    for (const double x : values) numbers.push_back(std::isfinite(x) ? Json(x) : Json(std::isnan(x) ? "nan" : "inf"));
    return {{"shape", shape}, {"values", numbers}, {"narrow", narrow}};
}
Json line_of(const Json& times, const std::string& name = "") { return {{"name", name}, {"times", times}}; }
Json result_of(const Json& values) {
    Json out{{"python", "3.0"}, {"values", values}};
    for (const char* name : {"changed", "gradients"}) out[name] = Json::object();
    out["handed"] = Json::array();
    out["again"] = out["not_run"] = Json::array();
    return out;
}
/// The answer to a request, before it is a text.
Json answer(const std::string& request, const Change& change, bool narrow = false) {
    const Json asked = Json::parse(request);
    const std::string text = asked["text"];
    Json out = Json::array();
    for (const Json& given : asked["cases"]) {
        Computed lines = computed(given);
        change(lines);
        Json values = Json::object();
        for (const auto& [begin, value] : lines)
            values[std::to_string(text.find("\n" + begin) + 1)] =
                line_of(Json::array({array_of(value, begin == "loss", narrow)}));
        out.push_back(result_of(values));
    }
    return out;
}
/// The report on a text whose lines compute what those of kProgram do, but for the change.
ProofReport run(const Change& change, const std::string& text = kProgram, bool narrow = false) {
    CheckOptions options;
    options.run = [=](const std::string& request) { return answer(request, change, narrow).dump(); };
    return check_file("a.py", text, options).proofs.at(0);
}
/// The same with the answer to each case changed.
ProofReport answered(const std::function<void(Json&, const std::string& text)>& change) {
    CheckOptions options;
    options.run = [=](const std::string& request) {
        Json out = answer(request, [](Computed&) {});
        for (Json& result : out) change(result, kProgram);
        return out.dump();
    };
    return check_file("a.py", kProgram, options).proofs.at(0);
}
void expect_part(const std::string& text, const std::string& part) { EXPECT_NE(text.find(part), text.npos) << text; }
std::string place_of(const std::string& text, const std::string& line) { return std::to_string(text.find("\n" + line) + 1); }
std::string said(const ProofReport& r) {
    std::string out;
    for (const LineReport& l : r.lines) out += (out.empty() ? "" : ", ") + verdict_of(l);
    return out;
}

TEST(RunBeside, LinesThatComputeWhatWasReadAreCounted) {
    const ProofReport r = run([](Computed&) {});
    EXPECT_EQ(said(r), "right, right");
    ASSERT_TRUE(r.run);
    EXPECT_EQ(r.run->python, "3.0");
    EXPECT_EQ(r.run->values, 2);
    EXPECT_EQ(r.run->gradients, 2);
    EXPECT_TRUE(r.run->not_compared.empty());
    expect_part(to_text({"a.py", {r}}),
                "\n  run in Python 3.0: 2 lines of the forward and 2 of gradients compute what was read\n");
}

TEST(RunBeside, WhereTheForwardIsAnotherNothingIsTold) {
    const ProofReport r = run([](Computed& c) { c["y ="][1] += 0.5; });
    EXPECT_EQ(said(r), "cannot tell, cannot tell");
    expect_part(r.lines[1].reason, "line 2: Python computes");
    expect_part(r.lines[1].reason, " at [1], and what was read is ");
    EXPECT_FALSE(r.lines[1].proved);
}

TEST(RunBeside, AGradientThatIsAnotherIsNamed) {
    for (const double off : {0.5, 1e-5, testing::kNaN, testing::kInf}) {
        const ProofReport r = run([&](Computed& c) { c["dx"][0] += off; });
        EXPECT_EQ(said(r), "cannot tell, cannot tell") << off;
        expect_part(r.lines[0].reason, "line 5: Python computes");
    }
    EXPECT_EQ(said(run([](Computed& c) { c["dx"][0] *= 1 + 1e-12; })), "right, right");
}

TEST(RunBeside, NumbersOfFewerBitsAreComparedAsSuch) {
    const Change a_little = [](Computed& c) { c["dx"][0] *= 1 + 1e-6; };
    EXPECT_EQ(said(run(a_little, kProgram, true)), "right, right");
    EXPECT_EQ(said(run(a_little, kProgram, false)), "cannot tell, cannot tell");
    EXPECT_EQ(said(run([](Computed& c) { c["dx"][0] *= 1.01; }, kProgram, true)), "cannot tell, cannot tell");
}

TEST(RunBeside, AnotherShapeIsAnotherValue) {
    const ProofReport r = run([](Computed& c) { c["dx"].push_back(0); });
    EXPECT_EQ(said(r), "cannot tell, cannot tell");
    expect_part(r.lines[0].reason, "Python computes an array [");
}

TEST(RunBeside, AWrongLineThatComputesWhatIsTrueIsNotCalledWrong) {
    std::string text = kProgram;
    text.replace(text.find("3 * dy"), 6, "4 * dy");
    EXPECT_EQ(said(run([](Computed&) {}, text)), "right, cannot tell");
    EXPECT_EQ(said(run([](Computed& c) { c["dx"][0] += 1; }, text)), "right, wrong");
    const ProofReport r = run([](Computed&) {}, text);
    EXPECT_EQ(r.lines[1].reason, "Python computes the true gradient, and what was read is another");
}

TEST(RunBeside, OfALineThatIsNotReadItIsToldWhatTheRunShows) {
    std::string text = kProgram;
    text.replace(text.find("3 * dy"), 6, "f(*dy)");
    const auto reason = [&](double off) {
        CheckOptions options;
        options.run = [&](const std::string& request) {
            Json out = answer(request, [&](Computed& c) { c["dx"][0] += off; });
            for (Json& result : out) result["values"][place_of(text, "dx")]["name"] = "dx";
            return out.dump();
        };
        const ProofReport r = check_file("a.py", text, options).proofs.at(0);
        EXPECT_EQ(said(r), "right, not read");
        return r.lines[1].reason;
    };
    expect_part(reason(0), "; run, it computes the true gradient of x");
    expect_part(reason(1), "; run, it computes another gradient than that of x");
}

TEST(RunBeside, BesideAWrongLineARightOneIsOnlyConfirmed) {
    std::string text = kProgram;
    text.replace(text.find("2 * y\n"), 5, "5 * y");
    const ProofReport r = run(
        [](Computed& c) {
            for (double& x : c["dy"]) x *= 2.5;
            for (double& x : c["dx"]) x *= 2.5;
        },
        text);
    EXPECT_EQ(said(r), "wrong, right");
    ASSERT_EQ(r.run->not_compared.size(), 1U);
    EXPECT_EQ(r.run->not_compared[0].why, "other lines are wrong or not read, and it may use what they compute");
}

TEST(RunBeside, WhatIsChangedBeforeTheReturnIsTold) {
    const ProofReport r =
        answered([](Json& result, const std::string& text) { result["changed"][place_of(text, "dx")] = text.find("loss"); });
    EXPECT_EQ(said(r), "cannot tell, cannot tell");
    expect_part(r.lines[0].reason, "line 5: Python computes this, and changes it before it returns in line 3");
}

TEST(RunBeside, WhatIsAnotherAtASecondCallIsTold) {
    const ProofReport r = answered([](Json& result, const std::string& text) { result["again"] = {text.find("dx")}; });
    EXPECT_EQ(said(r), "cannot tell, cannot tell");
    expect_part(r.lines[0].reason, "line 5: Python computes this, and something else where other calls came before or between");
}

TEST(RunBeside, WhatAFrameworkGetsIsComparedToo) {
    const ProofReport r = answered([](Json& result, const std::string& text) {
        Json given = result["values"][place_of(text, "dx")]["times"][0];
        given["values"][0] = 7.0;
        result["gradients"]["x"] = given;
    });
    EXPECT_EQ(said(r), "cannot tell, cannot tell");
    expect_part(r.lines[0].reason, "what is given as the gradient of x: Python computes 7 at [0]");
}

/// A report where each run hands over what is computed as dx, changed.
ProofReport handed(const Json& how, const std::function<void(Json&)>& change) {
    return answered([&](Json& result, const std::string& text) {
        Json given = how;
        given["array"] = result["values"][place_of(text, "dx")]["times"][0];
        if (!given["at"].is_null()) given["at"] = text.find("dx");
        change(given["array"]);
        result["handed"] = Json::array({given});
    });
}

TEST(RunBeside, WhatIsHandedOverUnderTheNameOfAGradientIsCompared) {
    const Json kept{{"by", "Net keeps"}, {"name", "dx"}, {"at", nullptr}};
    EXPECT_EQ(said(handed(kept, [](Json&) {})), "right, right");
    const ProofReport other = handed(kept, [](Json& array) { array["values"][0] = 7.0; });
    EXPECT_EQ(said(other), "cannot tell, cannot tell");
    expect_part(other.lines[0].reason, "what Net keeps as dx: Python computes 7 at [0]");
    expect_part(handed(kept, [](Json& array) { array = array_of({1}, true); }).lines[0].reason,
                "what Net keeps as dx: its shape is another");
    expect_part(handed(kept, [](Json& array) { array = nullptr; }).lines[0].reason, "what Net keeps as dx is None");
    const auto none =
        handed({{"by", "Net keeps"}, {"name", "mean"}, {"at", nullptr}}, [](Json& array) { array["values"][0] = 7.0; });
    EXPECT_EQ(said(none), "right, right");
    EXPECT_TRUE(none.run->not_compared.empty());
}

TEST(RunBeside, WhatIsReturnedAsAGradientAndIsNoneIsTold) {
    const Json returned{{"by", "f returns"}, {"name", ""}, {"at", 0}};
    EXPECT_TRUE(handed(returned, [](Json&) {}).run->not_compared.empty());
    const ProofReport other = handed(returned, [](Json& array) { array["values"][0] = 7.0; });
    EXPECT_EQ(said(other), "right, right");
    ASSERT_EQ(other.run->not_compared.size(), 1U);
    EXPECT_EQ(other.run->not_compared[0].line, 5);
    EXPECT_EQ(other.run->not_compared[0].why, "what f returns is the gradient of no value");
}

TEST(RunBeside, LinesThatAreNotRunAreNamed) {
    const ProofReport r = answered([](Json& result, const std::string& text) {
        const std::size_t at = text.find("dx");
        result["values"].erase(place_of(text, "dx"));
        result["not_run"] = {{{"name", "f"}, {"lines", {at}}, {"why", "no"}, {"at", text.find("loss")}}};
    });
    EXPECT_EQ(said(r), "right, right");
    ASSERT_EQ(r.run->not_compared.size(), 1U);
    EXPECT_EQ(r.run->not_compared[0].line, 5);
    EXPECT_EQ(r.run->not_compared[0].why, "f is not run: line 3: no");
    const std::string text = to_text({"a.py", {r}});
    expect_part(text, "\n  not compared with a run: line 5: f is not run: line 3: no\n");
    expect_part(text, "all right: 2; line 5 compared with no run\n");
    const Json json = Json::parse(to_json({"a.py", {r}}))["run"];
    EXPECT_EQ(json["gradients"], 1);
    EXPECT_EQ(json["not_compared"][0]["line"], 5);
    expect_part(
        to_github({{{"a.py", {r}}, {}}}),
        "::warning file=a.py,line=5,col=1,title=gradproof%3A not compared with a run::dx = 3 * dy: f is not run: line 3: no\n");
    expect_part(to_junit({{{"a.py", {r}}, {}}}),
                "<system-out>line 5 is not compared with a run: f is not run: line 3: no</system-out>");
    expect_part(to_sarif({{{"a.py", {r}}, {}}}), "\"ruleId\":\"not-run\"");
}

TEST(RunBeside, AProgramThatIsNotRunAtAllIsTold) {
    const ProofReport r = answered([](Json& result, const std::string&) {
        result["values"] = Json::object();
        result["not_run"] = {{{"name", ""}, {"lines", Json::array()}, {"why", "ImportError"}, {"at", nullptr}}};
    });
    EXPECT_EQ(said(r), "right, right");
    expect_part(to_text({"a.py", {r}}), "not compared with a run: lines 2, 3, 4, 5: the program is not run: ImportError\n");
}

TEST(RunBeside, StepsOfALoopAreTheRowsOfWhatWasRead) {
    const std::string text = R"(# gradproof: dims n d; input x [n, d]; input w [d]
y = np.zeros(n)
for i in range(n):
    y[i] = x[i] @ w
loss = np.sum(y ** 2)
dy = 2 * y
dw = x.T @ dy
)";
    for (const bool back : {false, true}) {
        CheckOptions options;
        options.run = [&](const std::string& request) {
            Json out = Json::array();
            const Json asked = Json::parse(request);
            for (const Json& given : asked["cases"]) {
                const auto x = values_of(given["inputs"]["x"]), w = values_of(given["inputs"]["w"]);
                const std::size_t d = w.size(), n = x.size() / d;
                Json steps = Json::array();
                for (std::size_t i = 0; i < n; ++i) {
                    double y = 0;
                    for (std::size_t j = 0; j < d; ++j) y += x[(back ? n - 1 - i : i) * d + j] * w[j];
                    steps.push_back(array_of({y}, true));
                }
                Json values = Json::object();
                values[std::to_string(text.find("y[i] ="))] = line_of(steps);
                out.push_back(result_of(values));
            }
            return out.dump();
        };
        const ProofReport r = check_file("a.py", text, options).proofs.at(0);
        EXPECT_EQ(r.run->values, 1) << back;
        EXPECT_EQ(r.run->differs, "") << back;
    }
}

TEST(RunBeside, TheRequestHoldsTheDraw) {
    Json first;
    CheckOptions options;
    options.run = [&](const std::string& request) {
        first = Json::parse(request);
        return answer(request, [](Computed&) {}).dump();
    };
    check_file("a.py", kProgram, options);
    EXPECT_EQ(first["text"], kProgram);
    ASSERT_EQ(first["cases"].size(), 12U);
    const Json given = first["cases"][0];
    EXPECT_EQ(given["sizes"]["n"], given["inputs"]["x"]["values"].size());
    EXPECT_TRUE(given["inputs"]["x"]["differentiable"]);
    EXPECT_FALSE(given["inputs"]["c"]["differentiable"]);
    EXPECT_TRUE(given["cotangent"].is_null());
    EXPECT_NE(given["inputs"]["x"], first["cases"][1]["inputs"]["x"]);
    EXPECT_EQ(given["gradient_lines"], Json({std::string(kProgram).find("dy"), std::string(kProgram).find("dx")}));
}

/// for k in [1, 3]: print(k) of a block below, in which nothing is judged.
TEST(RunBeside, AllBlocksOfTheDerivationAreRun) {
    std::string run;
    CheckOptions options;
    options.run = [&](const std::string& request) -> std::string {
        run = Json::parse(request)["text"];
        io_error("that will do");
    };
    const std::string text = "# Notes\n\n```python proof\n" + std::string(kProgram) +
                             "```\n\n```python\nother = 1\n```\n\n```python proof\nfor k in [1, 3]:\n    print(k)\n```\n\n"
                             "```python proof\n# gradproof: dims n; input x [n]\nnext = 2 * x\ndx = 2 * dnext\n```\n";
    EXPECT_EQ(testing::error_of([&] { check_file("a.md", text, options); }), "that will do");
    EXPECT_NE(run.find("for k in"), std::string::npos);
    EXPECT_EQ(run.find("other"), std::string::npos);
    EXPECT_EQ(run.find("next"), std::string::npos);
}

TEST(RunBeside, WithoutALossTheGradientThatComesInIsInTheRequest) {
    Json given;
    CheckOptions options;
    options.run = [&](const std::string& request) -> std::string {
        given = Json::parse(request)["cases"][0];
        io_error("that will do");
    };
    const std::string text =
        "# gradproof: dims n; input x [n]\ndef f(x):\n    y = x ** 2\n    return y\n"
        "def f_backward(dy, x):\n    dx = 2 * x * dy\n    return dx\n";
    EXPECT_EQ(testing::error_of([&] { check_file("a.py", text, options); }), "that will do");
    EXPECT_EQ(given["cotangent"]["values"].size(), given["inputs"]["x"]["values"].size());
    EXPECT_EQ(given["cotangent"]["values"], given["gradients"]["dy"]["values"]);
}

TEST(RunBeside, AnAnswerThatIsNoneIsAnError) {
    for (const char* text : {"", "[]", "{", "[1, 2]", "[{\"python\": \"3\"}, {}]", "null"}) {
        CheckOptions options;
        options.run = [&](const std::string&) { return text; };
        EXPECT_EQ(testing::error_of([&] { check_file("a.py", kProgram, options); }),
                  "a.py: the program that is run gave no answer that can be read")
            << text;
    }
}

TEST(RunBeside, AnAnswerMayNameAnyPlaceAndSize) {
    const ProofReport r = answered([](Json& result, const std::string& text) {
        result["changed"][place_of(text, "dx")] = std::size_t{1} << 60;
        result["not_run"] = {{{"name", "f"}, {"lines", {7}}, {"why", "no"}, {"at", std::size_t{1} << 60}}};
        result["values"][std::to_string(std::size_t{1} << 60)] = line_of(Json::array({array_of({1}, true)}));
        Json& times = result["values"][place_of(text, "dy")]["times"];
        const Json whole = times[0];
        times = Json::array({array_of({}, false), array_of({1}, true), whole});
    });
    EXPECT_EQ(said(r), "cannot tell, cannot tell");
    for (const char* shape : {"[-1]", "[9223372036854775807, 4]", "[1, 1, 1, 1, 1, 1, 1, 1, 1]", "[\"a\"]", "{}"}) {
        CheckOptions options;
        options.run = [&](const std::string& request) {
            Json out = answer(request, [](Computed&) {});
            for (auto& line : out[0]["values"]) line["times"][0]["shape"] = Json::parse(shape);
            return out.dump();
        };
        EXPECT_EQ(testing::error_of([&] { check_file("a.py", kProgram, options); }),
                  "a.py: the program that is run gave no answer that can be read")
            << shape;
    }
}

TEST(RunBeside, ADerivationThatIsNoProgramIsNotRun) {
    CheckOptions options;
    options.run = [](const std::string&) -> std::string { io_error("it is run"); };
    EXPECT_FALSE(
        check_file("a.proof", "dims n\ninput x [n]\nforward\ny = x^2\nclaim\ndx = 2 x ⊙ dy\n", options).proofs.at(0).run);
}

}  // namespace
}  // namespace gradproof::proof
