// Loading a library of ops and kernels: what it was built against is read from the file before any of its code runs.
#include "gradproof/core/plugin.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/files.hpp"
#include "gradproof/core/platform/shared_library.hpp"

namespace gradproof {
namespace {

/// What the name of a BuiltAgainst token says.
struct Build {
    int major = 0, minor = 0, patch = 0;
    std::uint64_t layout = 0;
    bool operator==(const Build&) const = default;
    std::string version() const { return fmt::format("{}.{}.{}", major, minor, patch); }
};
constexpr Build kThis{kVersionMajor, kVersionMinor, kVersionPatch, detail::kLayout};

/// How the Itanium ABI, which g++ and clang share, writes gradproof::detail::BuiltAgainst<...>::token.
constexpr std::string_view kPrefix = "_ZN9gradproof6detail12BuiltAgainstILi";

/// The number at the front of `text`, which is taken off it together with `after`.
template <class N>
bool take(std::string_view& text, N& number, std::string_view after) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.starts_with(after)) return false;
    text.remove_prefix(after.size());
    return true;
}

/// The builds whose tokens a library names, in the order of the file.
std::vector<Build> builds_in(std::string_view bytes) {
    std::vector<Build> out;
    for (std::size_t at = 0; (at = bytes.find(kPrefix, at)) != std::string_view::npos;) {
        at += kPrefix.size();
        std::string_view rest = bytes.substr(at);
        Build b;
        if (take(rest, b.major, "ELi") && take(rest, b.minor, "ELi") && take(rest, b.patch, "ELm") && take(rest, b.layout, "EE"))
            out.push_back(b);
    }
    return out;
}

/// Errors: IoError unless the file is a shared library that names this build's token and no other's.
void expect_this_build(const std::string& path) {
    const std::vector<std::byte> file = read_file(path);
    const std::string_view bytes(reinterpret_cast<const char*>(file.data()), file.size());
    constexpr std::size_t kType = 16;  // of e_type in an ELF header, after e_ident
    constexpr char kShared = 3;        // ET_DYN, stored in the byte order of the machine it is for
    const bool shared = bytes.size() > kType + 1 && bytes.starts_with("\177ELF") && bytes[kType] + bytes[kType + 1] == kShared;
    if (!shared) io_error("plugin {}: not a shared library", printable(path));
    const std::vector<Build> builds = builds_in(bytes);
    for (const Build& b : builds) {
        if (b == kThis) continue;
        if (b.version() != kThis.version())
            io_error("plugin {}: built against gradproof {}, this is {}: build it again", printable(path), b.version(),
                     kThis.version());
        io_error(
            "plugin {}: built against a gradproof {} whose types are laid out differently (layout {:x}, here {:x}): build it "
            "again",
            printable(path), b.version(), b.layout, kThis.layout);
    }
    if (builds.empty())
        io_error(
            "plugin {}: registers no op and no kernel: it has no GRADPROOF_OP and no GRADPROOF_KERNEL, or was built against a "
            "gradproof older "
            "than plugins",
            printable(path));
}

}  // namespace

Plugin load_plugin(const std::string& path) {
    if (!loads_shared_libraries())
        io_error("plugin {}: this gradproof loads no plugins: it was built without shared libraries", printable(path));
    expect_this_build(path);
    const std::string absolute = absolute_path(path).string();  // a bare name would be looked for elsewhere
    SharedLibrary library;
    const Registry::Pages pages = registry().collect([&] { library = open_shared_library(absolute); });
    std::string error;
    if (library.handle == nullptr)
        error = fmt::format("cannot be loaded: {}", printable(library.error, 300));
    else if (pages.added.empty() && pages.kernels.empty() && pages.refused.empty())
        error = "registers no op and no kernel: all of it is loaded already";
    if (pages.refused.empty() && error.empty()) return {path, pages.added, pages.kernels};
    for (const KernelInfo& k : pages.kernels) registry().detach(k.op, k.name);
    for (const OpEntry* op : pages.added) registry().remove(op->info.name);
    close_shared_library(library);
    if (!error.empty()) io_error("plugin {}: {}", printable(path), error);
    value_error("plugin {}: {}", printable(path), pages.refused.front());
}

}  // namespace gradproof
