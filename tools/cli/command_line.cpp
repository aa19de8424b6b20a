// The command line, parsed by CLI11.
#include "tools/cli/command_line.hpp"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "gradproof/core/did_you_mean.hpp"
#include "gradproof/core/errors.hpp"
#include "gradproof/core/kernel_choice.hpp"
#include "gradproof/core/platform/files.hpp"
#include "gradproof/core/shape.hpp"
#include "gradproof/core/version.hpp"
#include "gradproof/ops/kernels/kernels.hpp"

namespace gradproof::cli {

const Option& Option::required() const { return option_->required(), *this; }
const Option& Option::show_default() const { return option_->capture_default_str(), *this; }
const Option& Option::one_value() const { return option_->allow_extra_args(false), *this; }
const Option& Option::one_of(const std::vector<std::string>& all) const { return option_->check(CLI::IsMember(all)), *this; }
const Option& Option::takes(const std::string& what) const { return option_->type_name(what), *this; }
const Option& Option::hidden() const { return option_->group(""), *this; }

namespace {

/// A check as CLI11 calls it: returns "" or what is wrong. CLI11 itself would clamp numbers that are too large and read 010 as
/// eight, so whole numbers are rewritten in a form that it reads correctly.
template <class T>
std::string expect_number(std::string& text, std::string_view expected) {
    T value{};
    const char* begin = text.data() + (text.size() > 1 && text[0] == '+' && text[1] != '-' ? 1 : 0);
    const char* end = text.data() + text.size();
    const std::from_chars_result read = std::from_chars(begin, end, value);
    if (read.ec != std::errc() || read.ptr != end)
        return fmt::format("{}, expected {}", text.empty() ? "(nothing)" : printable(text, 60), expected);
    if constexpr (std::is_integral_v<T>) text = std::to_string(value);
    return "";
}
std::string expect_something(const std::string& text) { return text.empty() ? "(nothing), expected a value" : ""; }

template <class T, class Field>
constexpr bool kHolds = std::is_same_v<Field, T> || std::is_same_v<Field, std::optional<T>>;

template <class Field>
std::string expect_value(std::string& text) {
    if constexpr (kHolds<std::uint64_t, Field>)
        return expect_number<std::uint64_t>(text, "a whole number from 0 to 2^64 - 1");
    else if constexpr (kHolds<Index, Field>)
        return expect_number<Index>(text, "a whole number from -2^63 to 2^63 - 1");
    else if constexpr (kHolds<int, Field>)
        return expect_number<int>(text, "a whole number from -2^31 to 2^31 - 1");
    else if constexpr (kHolds<double, Field>)
        return expect_number<double>(text, "a number that a double holds");
    else
        return expect_something(text);
}

}  // namespace

Command Command::command(const std::string& name, const std::string& text) const {
    return {*app_->add_subcommand(name, text), *parsing_};
}
void Command::needs_a_command() const { app_->require_subcommand(1); }
template <class T>
Option Command::option(const std::string& name, T& field, const std::string& text) const {
    return Option(*app_->add_option(name, field, text)->transform(CLI::Validator(expect_value<T>, "")));
}
Option Command::flag(const std::string& name, bool& field, const std::string& text) const {
    return Option(*app_->add_flag(name, field, text));
}
void Command::runs(Action action) const {
    app_->callback([parsing = parsing_, action = std::move(action)] { parsing->action = action; });
}
void Command::kernel_option(std::string& choice) const {
    option("--kernel", choice, "Which kernels compute the ops: auto the first that fits, page none, NAME only those of that name")
        .takes("NAME")
        .show_default();
}
void Command::runs_with_kernels(Action action) const {
    const auto kernel = std::make_shared<std::string>("auto");
    kernel_option(*kernel);
    runs([kernel, action = std::move(action)] {
        const KernelScope scope(*kernel);
        return action();
    });
}
void Command::hide() const { app_->group(""); }
void Command::takes_words_with_a_minus() const { parsing_->takes_minus.push_back(app_); }

template Option Command::option(const std::string&, std::string&, const std::string&) const;
template Option Command::option(const std::string&, std::vector<std::string>&, const std::string&) const;
template Option Command::option(const std::string&, double&, const std::string&) const;
template Option Command::option(const std::string&, int&, const std::string&) const;
template Option Command::option(const std::string&, Index&, const std::string&) const;
template Option Command::option(const std::string&, std::uint64_t&, const std::string&) const;
template Option Command::option(const std::string&, std::optional<std::string>&, const std::string&) const;
template Option Command::option(const std::string&, std::optional<double>&, const std::string&) const;
template Option Command::option(const std::string&, std::optional<Index>&, const std::string&) const;
template Option Command::option(const std::string&, std::optional<std::uint64_t>&, const std::string&) const;

namespace {

/// The innermost command on the command line.
const CLI::App& innermost(const CLI::App& app) {
    const CLI::App* at = &app;
    while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
    return *at;
}

/// "exercise show: "; "" for the program itself.
std::string path_of(const CLI::App& command) {
    std::string out;
    for (const CLI::App* at = &command; at->get_parent(); at = at->get_parent())
        out = at->get_name() + (out.empty() ? "" : " ") + out;
    return out.empty() ? "" : out + ": ";
}

/// The names of the commands below one, without the hidden ones.
std::vector<std::string> commands_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        if (!command->get_group().empty()) names.push_back(command->get_name());
    return names;
}

/// "--format: foo not in {text,json}" as "--format: got foo, expected one of text, json".
std::string with_choices(const std::string& text) {
    const auto colon = text.find(": "), mid = text.find(" not in {");
    if (colon == std::string::npos || mid == std::string::npos || mid < colon || text.back() != '}') return text;
    std::string choices;
    for (const char c : text.substr(mid + 9, text.size() - mid - 10)) choices += c == ',' ? std::string(", ") : std::string(1, c);
    return fmt::format("{}: got {}, expected one of {}", text.substr(0, colon), text.substr(colon + 2, mid - colon - 2), choices);
}

/// The words of the command line. Of a command that takes words with a minus, these stand behind "--".
std::vector<std::string> words_of(const CLI::App& app, const Parsing& parsing, int argc, char** argv) {
    std::vector<std::string> out, with_minus;
    const CLI::App* command = &app;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const bool takes = std::ranges::count(parsing.takes_minus, command) > 0;
        if (takes && word == "--") {
            with_minus.insert(with_minus.end(), argv + i + 1, argv + argc);
            break;
        }
        const CLI::Option* before = out.empty() ? nullptr : command->get_option_no_throw(out.back());
        const bool is_value = before != nullptr && before->get_items_expected_max() > 0;
        const bool minus = takes && word.size() > 1 && word[0] == '-' && word[1] != '-' && word != "-h" && !is_value;
        (minus ? with_minus : out).push_back(word);
        const auto below = command->get_subcommands([&](const CLI::App* sub) { return sub->get_name() == word; });
        if (!below.empty()) command = below.front();
    }
    if (!with_minus.empty()) out.emplace_back("--");
    out.insert(out.end(), with_minus.begin(), with_minus.end());
    return out;
}

/// What is wrong with the command line; for an unknown command or option, with the nearest known one.
std::string explain(CLI::App& app, const CLI::ParseError& e) {
    const CLI::App& at = innermost(app);
    const std::vector<std::string> left = app.remaining(true);
    if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch)) {
        const std::string text = e.what(), option = text.substr(0, text.find(':'));
        return fmt::format("{}{}: {}, expected one", path_of(at), option,
                           text.find("received") == std::string::npos ? "no value" : "more than one value");
    }
    if (left.empty() && e.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError) &&
        at.get_require_subcommand_min() > 0)
        return fmt::format("{}expected a command: {}", path_of(at), fmt::join(commands_of(at), ", "));
    if (left.empty()) return path_of(at) + with_choices(e.what());
    const bool option = left[0].size() > 1 && left[0][0] == '-';
    const std::string unknown = left[0].substr(0, option ? left[0].find('=') : std::string::npos);
    std::vector<std::string> known;
    if (option)
        for (const CLI::Option* o : at.get_options())
            for (const std::string& name : o->get_lnames()) known.push_back("--" + name);
    const std::vector<std::string> commands = commands_of(at);
    if (!option) known = commands;
    if (std::find(known.begin(), known.end(), unknown) != known.end()) {
        const std::string path = path_of(at);
        return fmt::format("options come after the command: gradproof {} {}", path.substr(0, path.find(':')), unknown);
    }
    const std::string_view what = option ? "option" : commands.empty() ? "argument" : "command";
    return fmt::format("{}unknown {} {}{}", path_of(at), what, unknown.empty() ? "(nothing)" : printable(unknown, 60),
                       did_you_mean(unknown, known));
}

/// The number of threads that OpenBLAS will start.
rlim_t blas_threads() {
    cpu_set_t mine;
    rlim_t threads = ::sched_getaffinity(0, sizeof mine, &mine) == 0 ? static_cast<rlim_t>(CPU_COUNT(&mine)) : 1;
    for (const char* name : {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"})
        if (const char* wanted = std::getenv(name); wanted != nullptr && std::atoi(wanted) > 0)
            threads = std::min(threads, static_cast<rlim_t>(std::atoi(wanted)));
    return threads;
}

/// Says whether the address space is too small for OpenBLAS, which needs 128 MiB for each of its threads and otherwise retries
/// for ever: "" or what is wrong.
std::string lack_of_address_space() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return "";
    const rlim_t threads = blas_threads(), needed = (rlim_t{128} << 20) * (threads + 1);
    if (limit.rlim_cur >= needed) return "";
    return fmt::format("the limit of address space (ulimit -v) is {} MiB, expected at least {} MiB for {} thread{}",
                       limit.rlim_cur >> 20, needed >> 20, threads, threads == 1 ? "" : "s");
}

/// All commands by name: their texts, and what adds their options.
std::map<std::string, std::pair<std::string, void (*)(const Command&)>>& new_commands() {
    static std::map<std::string, std::pair<std::string, void (*)(const Command&)>> all;
    return all;
}

/// In one line: a place that the error shows below its text is left out.
int report(std::string_view error) {
    constexpr std::size_t kLongest = 2000;
    const std::string text = printable(error.substr(0, error.find("\n    ")), kLongest);
    std::fputs(fmt::format("gradproof: {}\n", text).c_str(), stderr);  // if that fails too, nothing more can be done
    return kUsage;
}

/// For an error that nobody could catch, as one thrown while another was on its way.
[[noreturn]] void end_program() {
    std::string what = "something that is not an exception";
    try {
        if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
    } catch (const std::exception& e) {
        what = e.what();
    } catch (...) {
    }
    report("ended by an error that is the program's own: " + what);
    std::_Exit(kUsage);
}

}  // namespace

NewCommand::NewCommand(const std::string& name, const std::string& text, void (*set_up)(const Command& command)) {
    if (!new_commands().emplace(name, std::pair(text, set_up)).second) std::abort();  // two commands of one name
}

Action parse_command_line(int argc, char** argv) {
    struct Request {
        CLI::App app{"gradproof: proofreads gradients", "gradproof"};
        Parsing parsing;
    };
    const auto request = std::make_shared<Request>();
    request->app.set_version_flag("--version", "gradproof " + version());
    const Command program(request->app, request->parsing);
    program.needs_a_command();
    for (const auto& [name, added] : new_commands()) added.second(program.command(name, added.first));
    try {
        std::vector<std::string> words = words_of(request->app, request->parsing, argc, argv);
        std::ranges::reverse(words);  // as CLI11 takes them
        request->app.parse(std::move(words));
    } catch (const CLI::Success& e) {
        return [request, e] { return request->app.exit(e); };  // --help, --version
    } catch (const CLI::ParseError& e) {
        value_error("{}", explain(request->app, e));
    }
    return [request] { return request->parsing.action(); };
}

int run_program(int argc, char** argv) {
    std::set_terminate(end_program);
    std::signal(SIGXFSZ, SIG_IGN);  // a file that would grow beyond the limit is an error of its write
    if (const std::string lack = lack_of_address_space(); !lack.empty()) {
        report(lack);
        std::_Exit(kUsage);  // a regular exit would wait for OpenBLAS
    }
    try {
        const Action action = parse_command_line(argc, argv);
        static_cast<void>(arch_name());  // reports a missing instruction set here, and not as an error of an op
        const int status = action();
        expect_output_written();
        return status;
    } catch (const MemoryError& e) {
        return report(e.what());
    } catch (const std::bad_alloc&) {
        return report("not enough memory");
    } catch (const std::filesystem::filesystem_error& e) {
        return report(fmt::format("{}: {}", printable(e.path1().native(), 400), e.code().message()));
    } catch (const std::exception& e) {
        return report(e.what());
    }
}

void expect_output_written() {
    errno = 0;
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
        io_error("the output cannot be written: {}", errno == 0 ? "some of it was lost" : std::generic_category().message(errno));
}

}  // namespace gradproof::cli
