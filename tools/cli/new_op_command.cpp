// `gradproof new-op NAME`: a file with one complete op to start from, and the CMakeLists.txt that builds it.
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "gradproof/core/platform/files.hpp"
#include "gradproof/core/registry.hpp"
#include "tools/cli/help.hpp"

namespace gradproof::cli {
namespace {

/// @NAME@ is the op's name, @STRUCT@ the C++ name of its page.
constexpr std::string_view kPage =
    R"page(// The op @NAME@: y = x sigmoid(beta x). Put your own formula in its place, then: gradproof check --plugin build/lib@NAME@.so
#include <cmath>

#include "gradproof/core/algebra.hpp"
#include "gradproof/core/registry.hpp"

namespace {

using namespace gradproof;

/// x times the sigmoid of beta x.
/// Shapes  x any -> y the same.
/// Errors  ShapeError unless there is one input; ValueError if beta is not finite.
struct @STRUCT@ {
    static constexpr OpInfo info{.name = "@NAME@",
                                 .inputs = "x",
                                 .forward = "s = 1 / (1 + exp(-beta x)); y = x s",
                                 .backward = "dx = (s + beta x s (1 - s)) dy",
                                 .saves = "x",
                                 .source = "Ramachandran et al. 2017"};
    struct Attrs {
        double beta = 1.5;
        static void fields(auto& attrs, auto&& f) { f("beta", attrs.beta); }
    };
    template <Scalar T>
    using Saved = SavedInput<T>;

    // Tensors as in NumPy: operands broadcast, a number may stand for a tensor (core/algebra.hpp has all words).
    template <Scalar T>
    static Tensor<T> forward(const Attrs& attrs, Inputs<T> in, Saved<T>& saved) {
        expect_inputs(info, in, 1);
        if (!std::isfinite(attrs.beta)) value_error("@NAME@: beta must be finite: beta is {}", attrs.beta);
        const Tensor<T>& x = saved.x = in[0];
        return x * sigmoid(x * attrs.beta);
    }

    // y = x s  and  s = sigmoid(beta x), so  ds/dx = beta s (1 - s).
    template <Scalar T>
    static void backward(const Attrs& attrs, const Saved<T>& saved, const Tensor<T>& dy, Cotangents<T> dx) {
        if (!dx.needs(0)) return;
        const Tensor<T>&x = saved.x, s = sigmoid(x * attrs.beta);
        dx.add(0, (s + x * s * (1 - s) * attrs.beta) * dy);
    }

    /// The calls that every contract is checked on: sizes that differ, size 1, size 0, and each attribute.
    static std::vector<Sample<@STRUCT@>> samples() {
        return {
            {"matrix", {}, {{3, 5}}},
            {"negative beta", {.beta = -0.5}, {{4}}},
            {"scalar", {}, {Shape{}}},
            {"size 1", {}, {{1, 1}}},
            {"size 0", {}, {{0, 4}}, {.zero_gradient = true, .why = "no entries"}},
        };
    }
    /// The calls that must throw, each with a part of its message.
    static std::vector<ErrorSample<@STRUCT@>> error_samples() {
        return {
            {"two inputs", {}, {{3}, {3}}, "takes 1 input"},
            {"infinite beta", {.beta = HUGE_VAL}, {{3}}, "beta must be finite"},
        };
    }
};
GRADPROOF_OP(@STRUCT@);

}  // namespace
)page";

constexpr std::string_view kProject = R"cmake(cmake_minimum_required(VERSION 3.25)
project(@NAME@ LANGUAGES CXX)
find_package(gradproof REQUIRED)
gradproof_add_op(@NAME@ @NAME@.cpp)
)cmake";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Errors: ValueError unless `name` can be an op's name and part of a file's.
void expect_name(const std::string& name) {
    constexpr std::size_t kLongest = 64;
    bool word = !name.empty() && is_letter(name[0]);
    for (const char c : name) word = word && (is_letter(c) || is_digit(c) || c == '_');
    if (!word)
        value_error("new-op: {} is not a name: it takes letters, digits and _, a letter first",
                    name.empty() ? "(nothing)" : printable(name, 60));
    if (name.size() > kLongest) value_error("new-op: the name is longer than {} characters", kLongest);
    if (registry().has(name))
        value_error("new-op: {} is an op already, on the page {}; choose another name", name, registry().find(name).file);
}

/// "leaky_relu" -> "LeakyReluOp": the ending keeps an op named tensor apart from Tensor.
std::string struct_name(const std::string& name) {
    std::string out;
    bool capital = true;
    for (const char c : name) {
        if (c != '_') out += capital && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        capital = c == '_';
    }
    return out + "Op";
}

std::string fill(std::string_view page, const std::string& name) {
    std::string out(page);
    for (const auto& [word, with] : {std::pair<std::string_view, std::string>{"@NAME@", name}, {"@STRUCT@", struct_name(name)}})
        for (std::size_t at = 0; (at = out.find(word, at)) != std::string::npos; at += with.size())
            out.replace(at, word.size(), with);
    return out;
}

/// Files and folders made so far: removed again unless all of it came off.
class Undo {
  public:
    Undo() = default;
    Undo(const Undo&) = delete;
    Undo& operator=(const Undo&) = delete;
    ~Undo() {
        std::error_code ignored;
        for (auto p = made_.rbegin(); p != made_.rend(); ++p) std::filesystem::remove(*p, ignored);
    }
    void made(const std::filesystem::path& path) { made_.push_back(path); }
    void keep() { made_.clear(); }

  private:
    std::vector<std::filesystem::path> made_;
};

void make_folder(const std::filesystem::path& dir, Undo& undo) {
    std::error_code error;
    if (dir.empty() || std::filesystem::is_directory(dir, error)) return;
    make_folder(dir.parent_path(), undo);
    if (!std::filesystem::create_directory(dir, error))
        io_error("new-op: cannot make the folder {}: {}", printable(dir.string()), error ? error.message() : "it is a file");
    undo.made(dir);
}

/// A file that did not exist: nothing is ever overwritten.
void write_new(const std::filesystem::path& path, std::string_view text, Undo& undo) {
    if (!write_new_file(path, text))
        value_error("new-op: {} exists already and was not overwritten (--dir chooses another folder)", printable(path.string()));
    undo.made(path);
}

/// Whether the page is there and the project is not, as a run that was killed leaves them.
bool was_cut(const std::filesystem::path& page, std::string_view text, const std::filesystem::path& project) {
    std::error_code error;
    return file_holds(page, text) && !std::filesystem::exists(project, error);
}

int run(const std::string& name, const std::filesystem::path& dir) {
    expect_name(name);
    const std::filesystem::path page = dir / (name + ".cpp"), project = dir / "CMakeLists.txt";
    Undo undo;
    make_folder(dir, undo);
    const std::string text = fill(kPage, name);
    if (!was_cut(page, text, project)) write_new(page, text, undo);
    write_new(project, fill(kProject, name), undo);
    undo.keep();
    fmt::print("wrote {} and {}; next, in that folder (with -DCMAKE_PREFIX_PATH=P if gradproof is installed below P):\n",
               printable(page.string(), 400), printable(project.string(), 400));
    fmt::print("  cmake -B build && cmake --build build && gradproof check --plugin build/lib{}.so\n", name);
    return kOk;
}

void set_up_new_op(const Command& command) {
    describe(command,
             {.description =
                  "Writes one file with formula, forward, backward and samples, and a CMakeLists.txt that builds it as a plugin.",
              .exit_status = R"page(0 written
2 a bad name, or the file exists already)page",
              .examples = R"page(gradproof new-op swish
gradproof new-op swish --dir ops)page"});
    auto name = std::make_shared<std::string>(), dir = std::make_shared<std::string>(".");
    command.option("name", *name, "Name of the new op").takes("NAME").required();
    command.option("--dir", *dir, "Folder to write to; created if it is missing").takes("FOLDER").show_default();
    command.runs([=] { return run(*name, *dir); });
}
const NewCommand kNewOp("new-op", "Write an op of your own to start from: one file and its CMakeLists.txt", set_up_new_op);

}  // namespace

}  // namespace gradproof::cli
