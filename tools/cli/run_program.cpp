// Starting Python, giving it a program with what it is run with, and reading what its lines computed.
#include "tools/cli/run_program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "gradproof/core/check/json.hpp"
#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/library/embedded.hpp"

extern char** environ;

namespace gradproof::runner {
std::vector<EmbeddedFile> embedded_files();  ///< tools/cli/gradproof_run/*.py
}

namespace gradproof::cli {
namespace {

using check::Json;
using proof::RunArray;
using proof::RunCase;
using proof::RunResult;

/// Reads one JSON object, has the modules of the runner found in it, and writes what it answers to descriptor 3.
constexpr const char* kBegin = R"py(
import importlib.abc, importlib.util, json, os, sys
asked = json.load(sys.stdin)
class Runner(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        package, _, module = name.partition(".")
        if package == "gradproof_run" and (module or "__init__") in asked["runner"]:
            return importlib.util.spec_from_loader(name, self, is_package=not module)
    def exec_module(self, module):
        name = module.__name__.partition(".")[2] or "__init__"
        exec(compile(asked["runner"][name], "<gradproof_run." + name + ">", "exec"), module.__dict__)
sys.meta_path.insert(0, Runner())
from gradproof_run import main
answer = json.dumps(main.main(asked))
with os.fdopen(3, "w") as out:
    out.write(answer)
os._exit(0)
)py";

/// A file without a name, whose end closes with it.
class TemporaryFile {
  public:
    TemporaryFile() : file_(std::tmpfile()) {
        if (file_ == nullptr) io_error("cannot make a temporary file: {}", std::strerror(errno));
    }
    ~TemporaryFile() { std::fclose(file_); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    int fd() const { return ::fileno(file_); }
    void write(const std::string& text) {
        if (std::fwrite(text.data(), 1, text.size(), file_) != text.size() || std::fflush(file_) != 0)
            io_error("cannot write a temporary file: {}", std::strerror(errno));
        std::rewind(file_);
    }
    std::string text() {
        std::string out;
        std::array<char, 1 << 16> buffer;
        std::rewind(file_);
        while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), file_)) out.append(buffer.data(), n);
        return out;
    }

  private:
    std::FILE* file_;
};

Json json_of(const RunArray& array) {
    Json values = Json::array();
    for (Index i = 0; i < array.value.size(); ++i) values.push_back(array.value[i]);
    return {{"shape", check::json_shape(array.value.shape())},
            {"values", std::move(values)},
            {"whole", array.whole},
            {"differentiable", array.differentiable}};
}
Json json_of(const RunCase::Arrays& arrays) {
    Json out = Json::object();
    for (const auto& [name, array] : arrays) out[name] = json_of(array);
    return out;
}
Json json_of(const RunCase& c) {
    Json sizes = Json::object();
    for (const auto& [name, size] : c.sizes) sizes[name] = size;
    return {{"inputs", json_of(c.inputs)},
            {"fallbacks", json_of(c.fallbacks)},
            {"incoming", json_of(c.incoming)},
            {"gradients", json_of(c.gradients)},
            {"cotangent", c.cotangent.defined() ? json_of(RunArray{c.cotangent}) : Json()},
            {"sizes", sizes},
            {"lines", c.lines},
            {"gradient_lines", c.gradient_lines}};
}

double number_in(const Json& x) { return x.is_string() ? std::stod(x.get<std::string>()) : x.get<double>(); }

proof::RunValue value_in(const Json& json) {
    Shape shape;
    for (const Json& n : json.at("shape")) shape.push_back(n.get<Index>());
    Tensor<double> value(shape);
    if (json.at("values").size() != static_cast<std::size_t>(value.size())) throw std::invalid_argument("another size");
    for (Index i = 0; i < value.size(); ++i) value[i] = number_in(json.at("values").at(static_cast<std::size_t>(i)));
    return {value, json.at("narrow").get<bool>()};
}
RunResult result_in(const Json& json) {
    RunResult out;
    out.python = json.at("python").get<std::string>();
    for (const auto& [offset, values] : json.at("values").items())
        for (const Json& value : values) out.values[std::stoul(offset)].push_back(value_in(value));
    for (const auto& [offset, line] : json.at("changed").items()) out.changed[std::stoul(offset)] = line.get<int>();
    for (const Json& f : json.at("not_run"))
        out.not_run.push_back({f.at("name").get<std::string>(), f.at("lines").get<std::vector<int>>(),
                               printable(f.at("why").get<std::string>(), 300)});
    return out;
}

class Python {
  public:
    Python(const RunOptions& options, const TemporaryFile& in, const TemporaryFile& out) : options_(options) {
        posix_spawn_file_actions_t files;
        ::posix_spawn_file_actions_init(&files);
        ::posix_spawn_file_actions_adddup2(&files, in.fd(), STDIN_FILENO);
        ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        ::posix_spawn_file_actions_adddup2(&files, out.fd(), 3);
        posix_spawnattr_t group;
        ::posix_spawnattr_init(&group);
        ::posix_spawnattr_setflags(&group, POSIX_SPAWN_SETPGROUP);
        std::string python = options.python, dash = "-c", begin = kBegin;
        std::array<char*, 4> argv{python.data(), dash.data(), begin.data(), nullptr};
        const int error = ::posix_spawnp(&pid_, python.c_str(), &files, &group, argv.data(), environ);
        ::posix_spawn_file_actions_destroy(&files);
        ::posix_spawnattr_destroy(&group);
        if (error != 0) io_error("cannot start {}: {}", printable(python, 200), std::strerror(error));
    }
    ~Python() {
        ::kill(-pid_, SIGKILL);  // and what it started
        if (!ended_) ::waitpid(pid_, nullptr, 0);
    }
    Python(const Python&) = delete;
    Python& operator=(const Python&) = delete;
    /// How it ended, as waitpid says it.
    int wait() {
        using Clock = std::chrono::steady_clock;
        const auto end = Clock::now() + std::chrono::duration<double>(options_.seconds);
        int status = 0;
        while (::waitpid(pid_, &status, WNOHANG) != pid_) {
            if (Clock::now() > end) io_error("the program runs for more than {} s (--time-limit)", options_.seconds);
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        ended_ = true;
        return status;
    }

  private:
    const RunOptions& options_;
    pid_t pid_ = -1;
    bool ended_ = false;
};

}  // namespace

proof::RunProgram program_runner(const std::string& file, const std::string& text, const RunOptions& options) {
    return [=](const std::vector<RunCase>& cases) {
        Json asked{{"path", file}, {"text", text}, {"runner", Json::object()}, {"cases", Json::array()}};
        for (const EmbeddedFile& module : runner::embedded_files()) asked["runner"][std::string(module.name)] = module.text();
        for (const RunCase& c : cases) asked["cases"].push_back(json_of(c));
        TemporaryFile in, out;
        in.write(asked.dump());
        Python python(options, in, out);
        const int status = python.wait();
        if (WIFSIGNALED(status)) io_error("{}: Python crashed by signal {}", printable(file), ::strsignal(WTERMSIG(status)));
        try {
            std::vector<RunResult> results;
            for (const Json& result : Json::parse(out.text())) results.push_back(result_in(result));
            if (results.size() != cases.size()) throw std::invalid_argument("another number of cases");
            return results;
        } catch (const std::exception&) {
            io_error("{}: Python ended with exit status {} and no answer", printable(file), WEXITSTATUS(status));
        }
    };
}

}  // namespace gradproof::cli
