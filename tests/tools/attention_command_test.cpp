// `gradproof attention` as a user runs it: good input, wrong results to be judged, bad and absurd input.
#include <cmath>

#include "gradproof/core/io/npy.hpp"
#include "gradproof/core/io/npz.hpp"
#include "gradproof/ops/attention.hpp"
#include "tests/core/io_support.hpp"
#include "tests/narrow_types.hpp"
#include "tests/support.hpp"

namespace gradproof {
namespace {

using namespace testing;

/// Grouped heads with a past and a float mask: B=2, Hq=4, Hk=2, L=3, S=5, P=2, D=6, E=7.
class AttentionCommand : public ::testing::Test {
  protected:
    void SetUp() override {
        Random rng(11);
        const auto draw = [&](const char* name, const Shape& shape) {
            const auto t = rng.normal<double>(shape);
            write_npy(folder_ / (std::string(name) + ".npy"), from_tensor(t));
            return t;
        };
        q_ = draw("q", {2, 4, 3, 6});
        k_ = draw("k", {2, 2, 5, 6});
        v_ = draw("v", {2, 2, 5, 7});
        dy_ = draw("dy", {2, 4, 3, 7});
        past_key_ = draw("pk", {2, 2, 2, 6});
        past_value_ = draw("pv", {2, 2, 2, 7});
        mask_ = draw("mask", {3, 7});
    }

    std::string path(std::string_view name) const { return (folder_ / name).native(); }
    std::string qkv() const {
        return fmt::format("attention --q {} --k {} --v {} ", path("q.npy"), path("k.npy"), path("v.npy"));
    }
    std::string with_all() const {
        return qkv() + fmt::format("--past-key {} --past-value {} --mask {} --dy {} ", path("pk.npy"), path("pv.npy"),
                                   path("mask.npy"), path("dy.npy"));
    }
    std::string out() const { return "--out " + path("out.npz"); }
    std::vector<NamedArray> results() const { return read_npz(folder_ / "out.npz"); }

    /// Runs with what must be refused: one line, status 2, no results.
    void refused(const std::string& arguments, std::string_view message) {
        const ProgramRun o = run_program(arguments);
        EXPECT_EQ(o.status, 2) << arguments << "\n" << o.text;
        EXPECT_TRUE(contains(o.text, message)) << arguments;
        EXPECT_EQ(std::count(o.text.begin(), o.text.end(), '\n'), 1) << o.text;
        EXPECT_FALSE(std::filesystem::exists(folder_ / "out.npz"));
        for (const std::string& name : folder_.names()) EXPECT_NE(name[0], '.') << "a temporary file stayed: " << name;
    }

    Folder folder_;
    Tensor<double> q_, k_, v_, dy_, past_key_, past_value_, mask_;
};

TEST_F(AttentionCommand, EveryKernelGivesWhatTheReferenceGives) {
    const std::string call = with_all() + "--causal --scale 0.3 --softcap 2 ", theirs = path("theirs.npz");
    ASSERT_EQ(run_program(call + "--kernel reference --out " + theirs).status, 0);
    for (const char* kernel : {"fused", "auto"}) {
        const ProgramRun o = run_program(fmt::format("{} --kernel {} {} --expect {}", call, kernel, out(), theirs));
        EXPECT_EQ(o.status, 0) << kernel << "\n" << o.text;
        EXPECT_TRUE(contains(o.text, "dpast_value")) << o.text;
    }
    const ProgramRun other = run_program(fmt::format("{} --kernel fused --window=1,0 {} --expect {}", call, out(), theirs));
    EXPECT_EQ(other.status, 1) << "another call is told apart\n" << other.text;
}

TEST_F(AttentionCommand, WritesWhatTheOpGives) {
    const ProgramRun o = run_program(with_all() + "--causal --scale 0.3 --softcap 2 --weights " + out());
    ASSERT_EQ(o.status, 0) << o.text;
    Tape<double> tape;
    const auto q = tape.leaf(q_), k = tape.leaf(k_), v = tape.leaf(v_), mask = tape.leaf(mask_), pk = tape.leaf(past_key_),
               pv = tape.leaf(past_value_);
    const AttentionAttrs attrs{.scale = 0.3, .causal = true, .softcap = 2};
    const auto y = attention(q, k, v, {mask, pk, pv}, attrs);
    tape.backward(y, dy_);
    const auto all = attention_forward(q_, k_, v_, {mask_, past_key_, past_value_}, attrs);
    const auto expected = std::vector<std::pair<std::string, Tensor<double>>>{{"y", y.value()},
                                                                              {"dq", tape.grad(q)},
                                                                              {"dk", tape.grad(k)},
                                                                              {"dv", tape.grad(v)},
                                                                              {"dpast_key", tape.grad(pk)},
                                                                              {"dpast_value", tape.grad(pv)},
                                                                              {"dmask", tape.grad(mask)},
                                                                              {"weights", all.weights},
                                                                              {"present_key", all.present_key},
                                                                              {"present_value", all.present_value}};
    const auto arrays = results();
    ASSERT_EQ(arrays.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(arrays[i].name, expected[i].first);
        EXPECT_EQ(arrays[i].array, from_tensor(expected[i].second)) << arrays[i].name;
    }
}

TEST_F(AttentionCommand, WritesOnlyWhatWasAskedFor) {
    ASSERT_EQ(run_program(qkv() + out()).status, 0);
    ASSERT_EQ(results().size(), 1u);
    EXPECT_EQ(results()[0].name, "y");
}

TEST_F(AttentionCommand, TakesTheElementTypeOfTheInputsUnlessTold) {
    EXPECT_EQ((run_program(qkv() + out()), results()[0].array.dtype), DType::f64);
    EXPECT_EQ((run_program(qkv() + "--dtype f32 " + out()), results()[0].array.dtype), DType::f32);
    for (const auto& [name, t] : {std::pair{"q.npy", q_}, {"k.npy", k_}, {"v.npy", v_}})
        write_npy(folder_ / name, from_tensor(cast<float>(t)));
    EXPECT_EQ((run_program(qkv() + out()), results()[0].array.dtype), DType::f32);
    EXPECT_EQ((run_program(qkv() + "--dtype f64 " + out()), results()[0].array.dtype), DType::f64);
}

TEST_F(AttentionCommand, BooleanMasksForbid) {
    Tensor<bool> allowed({3, 5}, false);
    for (Index i = 0; i < 3; ++i) allowed.at({i, i}) = true;
    write_npy(folder_ / "allowed.npy", from_tensor(allowed));
    ASSERT_EQ(run_program(qkv() + "--mask " + path("allowed.npy") + " --dy " + path("dy.npy") + " " + out()).status, 0);
    EXPECT_EQ(find_array(results(), "dmask"), nullptr);
    const auto y = to_tensor<double>(*find_array(results(), "y"), "y");
    EXPECT_EQ(y.at({1, 3, 2, 4}), v_.at({1, 1, 2, 4}));  // query 2 sees key 2 alone, head 3 uses key head 1
}

TEST_F(AttentionCommand, TakesWindowsLengthsAndPackedHeads) {
    write_npy(folder_ / "len.npy", from_tensor(Tensor<Index>::from({2}, {4, 0})));
    for (const char* window : {"--window=1,0", "--window 1,-1", "--window -1,0"})
        EXPECT_EQ(run_program(qkv() + window + " " + out()).status, 0) << window;
    ASSERT_EQ(run_program(qkv() + "--kv-len " + path("len.npy") + " " + out()).status, 0);
    EXPECT_EQ(to_tensor<double>(*find_array(results(), "y"), "y").at({1, 0, 0, 0}), 0.0);
    Random rng(2);
    write_npy(folder_ / "q.npy", from_tensor(rng.normal<double>({2, 3, 24})));
    write_npy(folder_ / "k.npy", from_tensor(rng.normal<double>({2, 5, 12})));
    write_npy(folder_ / "v.npy", from_tensor(rng.normal<double>({2, 5, 14})));
    ASSERT_EQ(run_program(qkv() + "--q-heads 4 --kv-heads 2 " + out()).status, 0);
    EXPECT_EQ(find_array(results(), "y")->shape, (Shape{2, 3, 28}));
}

TEST_F(AttentionCommand, FindsItsOwnResultsRight) {
    ASSERT_EQ(run_program(with_all() + "--weights " + out()).status, 0);
    const ProgramRun o = run_program(with_all() + "--expect " + path("out.npz"));
    EXPECT_EQ(o.status, 0) << o.text;
    EXPECT_TRUE(contains(o.text, "verdict: right (10 arrays)"));
    // In float the results differ, and are right for floats.
    ASSERT_EQ(run_program(with_all() + "--weights --dtype f32 " + out()).status, 0);
    EXPECT_EQ(run_program(with_all() + "--expect " + path("out.npz")).status, 0);
}

// A narrow type excuses its rounding and no other array; gradients have several names.
TEST_F(AttentionCommand, NoOtherArrayIsRightInANarrowType) {
    ASSERT_EQ(run_program(with_all() + out()).status, 0);
    const auto good = results();
    for (const DType type : {DType::f32, DType::f16}) {
        std::vector<NamedArray> theirs;
        for (const NamedArray& a : good) {
            const std::string name = a.name == "dq" ? "q.grad" : a.name == "dk" ? "dK" : a.name == "dv" ? "grad_v" : a.name;
            theirs.push_back({name, testing::stored(to_tensor<double>(a.array, a.name), type)});
        }
        write_npz(folder_ / "theirs.npz", theirs);
        const ProgramRun o = run_program(with_all() + "--expect " + path("theirs.npz"));
        EXPECT_EQ(o.status, 0) << dtype_name(type) << "\n" << o.text;
        for (const double by : {0.0, -1.0, 2.0, 0.5, 1.1}) {
            for (std::size_t i = 0; i < good.size(); ++i) {
                Tensor<double> x = to_tensor<double>(good[i].array, good[i].name).clone();
                for (double& v : x) v *= by;
                theirs[i].array = testing::stored(x, type);
            }
            write_npz(folder_ / "theirs.npz", theirs);
            const ProgramRun wrong = run_program(with_all() + "--expect " + path("theirs.npz"));
            EXPECT_EQ(wrong.status, 1) << dtype_name(type) << "\n" << wrong.text;
            EXPECT_FALSE(contains(wrong.text, "  right\n")) << dtype_name(type) << " times " << by << "\n" << wrong.text;
        }
    }
    write_npz(folder_ / "theirs.npz", {{"dq", good[1].array}, {"grad_q", good[1].array}});
    EXPECT_TRUE(contains(run_program(with_all() + "--expect " + path("theirs.npz")).text, "dq and grad_q name the same result"));
}

TEST_F(AttentionCommand, FindsWrongResultsWrongAndSaysWhy) {
    ASSERT_EQ(run_program(with_all() + out()).status, 0);
    const auto good = results();
    const auto verdict = [&](const char* name, const auto& change) {
        auto arrays = good;
        for (NamedArray& a : arrays)
            if (a.name == name) {
                auto t = to_tensor<double>(a.array, name);
                a.array = from_tensor(change(t));
            }
        write_npz(folder_ / "theirs.npz", arrays);
        const ProgramRun o = run_program(with_all() + "--expect " + path("theirs.npz"));
        EXPECT_EQ(o.status, 1) << o.text;
        EXPECT_TRUE(contains(o.text, "verdict: wrong (1 of 9 arrays)"));
        return o.text;
    };
    const auto times = [](double factor) {
        return [factor](Tensor<double> t) {
            for (double& x : t) x *= factor;
            return t;
        };
    };
    EXPECT_TRUE(contains(verdict("dq", times(std::sqrt(6.0))), "diagnosis: claimed = sqrt(D) * true"));
    EXPECT_TRUE(contains(verdict("dk", times(-1)), "diagnosis: the sign is wrong"));
    EXPECT_TRUE(contains(verdict("dv", times(0.5)), "diagnosis: claimed = 1/2 * true"));
    EXPECT_TRUE(contains(verdict("dmask", times(0)), "diagnosis: claimed is zero everywhere"));
    EXPECT_TRUE(contains(verdict("y",
                                 [](const Tensor<double>& t) {
                                     return Tensor<double>::from_strided(t.data(), {2, 3, 4, 7}, {84, 7, 21, 1});
                                 }),
                         "diagnosis: axes 1 and 2 are swapped"));
    const std::string one = verdict("dv", [](Tensor<double> t) {
        t.at({1, 0, 2, 3}) += 0.5;
        return t;
    });
    EXPECT_TRUE(contains(one, "worst at [1, 0, 2, 3]"));
    EXPECT_TRUE(contains(one, "only axis 0 at 1, axis 1 at 0, axis 2 at 2, axis 3 at 3"));
    EXPECT_TRUE(contains(one, "no simple explanation"));
    EXPECT_TRUE(contains(verdict("dv", times(NAN)), "140 not finite"));
}

TEST_F(AttentionCommand, WarnsOfAgreementThatProvesNothing) {
    write_npy(folder_ / "dy.npy", from_tensor(ones<double>({2, 4, 3, 7})));
    ASSERT_EQ(run_program(qkv() + "--dy " + path("dy.npy") + " " + out()).status, 0);
    EXPECT_TRUE(contains(run_program(qkv() + "--dy " + path("dy.npy") + " --expect " + path("out.npz")).text,
                         "dy is the same number everywhere"));
    // dy v overflows: the true gradients of q and k are no numbers.
    write_npy(folder_ / "v.npy", from_tensor(Tensor<double>({2, 2, 5, 7}, 1e200)));
    write_npy(folder_ / "dy.npy", from_tensor(Tensor<double>({2, 4, 3, 7}, 1e200)));
    ASSERT_EQ(run_program(qkv() + "--dy " + path("dy.npy") + " " + out()).status, 0);
    const ProgramRun o = run_program(qkv() + "--dy " + path("dy.npy") + " --expect " + path("out.npz"));
    EXPECT_EQ(o.status, 3) << o.text;
    EXPECT_TRUE(contains(o.text, "verdict: cannot tell"));
}

TEST_F(AttentionCommand, WithoutHeadsThereIsNothingToTell) {
    for (const char* name : {"q.npy", "k.npy", "v.npy"}) write_npy(folder_ / name, from_tensor(zeros<double>({1, 0, 4, 3})));
    ASSERT_EQ(run_program(qkv() + out()).status, 0);
    EXPECT_EQ(run_program(qkv() + "--expect " + path("out.npz")).status, 3);
}

TEST_F(AttentionCommand, RefusesNumbersThatAreNotFinite) {
    const auto with = [&](const std::string& name, const Shape& shape, double bad, const std::string& arguments,
                          const std::string& message) {
        Tensor<double> x(shape, 0.5);
        x[x.size() - 2] = bad;
        const std::string before = "bad_" + name;
        write_npy(folder_ / before, from_tensor(x));
        refused(qkv() + arguments + path(before) + " " + out(), message);
    };
    with("dy.npy", {2, 4, 3, 7}, NAN, "--dy ", "bad_dy.npy: the entry at [1, 3, 2, 5] is nan in f64, expected a finite number");
    with("mask.npy", {3, 5}, INFINITY, "--mask ",
         "bad_mask.npy: the entry at [2, 3] is inf in f64, expected a finite number or -inf");
    with("dy.npy", {2, 4, 3, 7}, 1e200, "--dtype f32 --dy ", "is inf in f32");
    // Behind the last real key anything may stand.
    Tensor<double> padded = ones<double>({2, 2, 5, 7});
    padded.at({0, 0, 4, 0}) = padded.at({1, 1, 4, 6}) = NAN;
    write_npy(folder_ / "padded.npy", from_tensor(padded));
    write_npy(folder_ / "lengths.npy", from_tensor(Tensor<Index>::from({2}, {4, 3})));
    const std::string with_padding =
        "attention --q " + path("q.npy") + " --k " + path("k.npy") + " --v " + path("padded.npy") + " ";
    EXPECT_EQ(run_program(with_padding + "--kv-len " + path("lengths.npy") + " " + out()).status, 0);
    std::filesystem::remove(folder_ / "out.npz");
    refused(with_padding + out(), "padded.npy: the entry at [0, 0, 4, 0] is nan in f64, expected a finite number");
    refused(qkv() + "--out /dev/stdout", "--out is /dev/stdout, where the text goes");
    write_npy(folder_ / "hides.npy", from_tensor(Tensor<double>({3, 5}, -INFINITY)));
    EXPECT_EQ(run_program(qkv() + "--mask " + path("hides.npy") + " " + out()).status, 0);
}

TEST_F(AttentionCommand, RefusesBadUse) {
    refused("", "expected a command: attention");
    refused("attentoin --q x", "unknown command attentoin; did you mean attention");
    refused(qkv() + "--cuasal " + out(), "attention: unknown option --cuasal; did you mean --causal");
    refused(qkv() + "--sofcap=2 " + out(), "attention: unknown option --sofcap; did you mean --softcap");
    refused(qkv() + "stray " + out(), "attention: unknown argument stray");
    refused("attention --q a.npy --k b.npy " + out(), "attention: --v is required");
    refused(qkv() + out() + " --scale", "--scale");
    refused(qkv() + out() + " --scale abc", "abc");
    refused(qkv() + out() + " --scale 1 --scale 2", "--scale");
    refused(qkv() + out() + " --dtype f16", "got f16, expected one of f32, f64");
    refused(qkv() + out() + " --kernel quick", "got quick, expected one of reference, fused, auto");
    refused(qkv() + out() + " --q-heads 99999999999999999999", "expected a whole number");
    refused(qkv() + out() + " --q-heads 999999999999999999", "head counts contradict");
    refused(qkv(), "--out is missing");
    for (const char* window : {"--window=3", "--window=3,", "--window=,3", "--window=a,b", "--window=1,2,3", "--window=1.5,2",
                               "--window=99999999999999999999,0"})
        refused(qkv() + window + " " + out(), "expected left,right");
}

TEST_F(AttentionCommand, RefusesContradictions) {
    refused(qkv() + "--past-key " + path("pk.npy") + " " + out(), "past_key and past_value come together");
    refused(qkv() + "--q-heads 3 " + out(), "head counts contradict the 4-D inputs");
    refused(qkv() + "--softcap=-1 " + out(), "softcap");
    refused(qkv() + "--softcap nan " + out(), "softcap");
    refused(qkv() + "--scale inf " + out(), "scale must be finite");
    refused(qkv() + "--window=-2,0 " + out(), "window");
    refused(qkv() + "--dy " + path("q.npy") + " " + out(), "dy must have the shape of y: dy is [2, 4, 3, 6], y is [2, 4, 3, 7]");
    refused(qkv() + "--mask " + path("dy.npy") + " " + out(), "mask does not broadcast");
    refused(qkv() + "--kv-len " + path("q.npy") + " " + out(), "element type is f64, expected integers");
    write_npy(folder_ / "ids.npy", from_tensor(Tensor<Index>::from({3}, {1, 2, 3})));
    refused(qkv() + "--kv-len " + path("ids.npy") + " " + out(), "kv_len");
    refused(qkv() + "--mask " + path("ids.npy") + " " + out(), "element type is i64, expected bool");
    refused(qkv() + "--out " + path("q.npy"), "is both an input and --out");
}

TEST_F(AttentionCommand, RefusesFilesItCannotRead) {
    const auto with_q = [&](const std::string& q) {
        return fmt::format("attention --q '{}' --k {} --v {} {}", q, path("k.npy"), path("v.npy"), out());
    };
    refused(with_q(path("absent.npy")), "absent.npy: cannot read: No such file");
    refused(with_q(path("")), "it is a folder");
    refused(with_q("/dev/zero"), "it is a device");
    write_file_atomically(folder_ / "empty.npy", "");
    refused(with_q(path("empty.npy")), "the file is empty");
    write_file_atomically(folder_ / "text.npy", "1 2 3\n4 5 6\n");
    refused(with_q(path("text.npy")), "not a .npy file");
    Bytes cut = read_file(folder_ / "q.npy");
    cut.pop_back();
    write_file_atomically(folder_ / "cut.npy", cut);
    refused(with_q(path("cut.npy")), "size does not match the header: data is 1151 bytes, expected 1152");
    write_npy(folder_ / "rank2.npy", from_tensor(ones<double>({3, 4})));
    refused(with_q(path("rank2.npy")), "attention: inputs must be 4-D");
    refused(with_q(fixture("bad_object.npy").native()), "Python objects");
}

TEST_F(AttentionCommand, RefusesResultsItCannotJudge) {
    const auto theirs = [&](const std::vector<NamedArray>& arrays) {
        write_npz(folder_ / "theirs.npz", arrays);
        return qkv() + "--expect " + path("theirs.npz") + " ";
    };
    refused(theirs({}), "holds no array");
    refused(theirs({{"dX", from_tensor(q_)}}), "has an array 'dX', expected some of y dq");
    refused(theirs({{"dQ", from_tensor(q_)}}), "has an array 'dQ', which needs --dy");
    refused(theirs({{"dqq", from_tensor(q_)}}), "did you mean dq");
    refused(theirs({{"dq", from_tensor(q_)}}), "which needs --dy");
    refused(theirs({{"dmask", from_tensor(q_)}}) + "--dy " + path("dy.npy"), "which needs a float --mask");
    refused(theirs({{"present_key", from_tensor(q_)}}), "which needs --past-key");
    refused(qkv() + "--expect " + path("q.npy"), "not a .npz file");
    refused(qkv() + "--expect " + path("absent.npz"), "cannot read");
}

TEST_F(AttentionCommand, RefusesPlacesItCannotWriteTo) {
    refused(qkv() + "--out " + path("out.txt"), "out.txt, expected the name of an .npz file");
    refused(qkv() + "--out " + path("no/out.npz"), "cannot write: No such file");
    refused(qkv() + "--out " + path(""), "it is a folder");
    const ProgramRun full = run_program(qkv() + "--out /dev/full");
    EXPECT_EQ(full.status, 2);
    EXPECT_TRUE(contains(full.text, "No space left on device"));
}

TEST_F(AttentionCommand, SurvivesAbsurdSizes) {
    write_npy(folder_ / "q.npy", from_tensor(zeros<float>({1, 1, 0, 6})));
    write_npy(folder_ / "k.npy", from_tensor(zeros<float>({1, 1, 0, 6})));
    write_npy(folder_ / "v.npy", from_tensor(zeros<float>({1, 1, 0, 7})));
    EXPECT_EQ(run_program(qkv() + "--weights " + out()).status, 0);
    EXPECT_EQ(find_array(results(), "weights")->shape, (Shape{1, 1, 0, 0}));
    std::filesystem::remove(folder_ / "out.npz");
    // Scores of 2^46 entries: no machine holds them.
    write_npy(folder_ / "q.npy", from_tensor(zeros<float>({1, 1, 1 << 23, 0})));
    write_npy(folder_ / "k.npy", from_tensor(zeros<float>({1, 1, 1 << 23, 0})));
    write_npy(folder_ / "v.npy", from_tensor(zeros<float>({1, 1, 1 << 23, 0})));
    const ProgramRun o = run_program(qkv() + "--weights " + out());
    EXPECT_EQ(o.status, 2) << o.text;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out.npz"));
}

TEST_F(AttentionCommand, WorksWithNumpy) {
    if (const std::string lacks = without_module("numpy"); !lacks.empty()) GTEST_SKIP() << lacks;
    // Inputs in Fortran order, big-endian and half precision; results judged by NumPy's own attention.
    ASSERT_TRUE(accepted(R"(
import sys, numpy as np
d = sys.argv[1] + '/'
r = np.random.default_rng(5)
q, k, v = r.normal(size=(2, 3, 4, 8)), r.normal(size=(2, 3, 5, 8)), r.normal(size=(2, 3, 5, 6))
np.save(d + 'q.npy', np.asfortranarray(q)); np.save(d + 'k.npy', k.astype('>f8')); np.save(d + 'v.npy', v.astype('<f2'))
v = v.astype('<f2').astype(float)
s = q @ k.swapaxes(-1, -2) / np.sqrt(8)
w = np.exp(s - s.max(-1, keepdims=True)); w /= w.sum(-1, keepdims=True)
np.savez_compressed(d + 'theirs.npz', y=w @ v, weights=w)
)",
                         path("")));
    const ProgramRun o = run_program(qkv() + "--expect " + path("theirs.npz") + " " + out());
    EXPECT_EQ(o.status, 0) << o.text;
    EXPECT_TRUE(accepted(
        "import sys, numpy as np\nz = np.load(sys.argv[1])\nassert z['y'].shape == (2, 3, 4, 6) and z['y'].dtype == np.float64",
        path("out.npz")));
}

}  // namespace
}  // namespace gradproof
