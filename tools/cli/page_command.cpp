// `gradproof page`: writes the page, backprop through attention in one offline file, which tools/web/build makes.
#include <filesystem>

#include <fmt/core.h>

#include "gradproof/core/platform/files.hpp"
#include "tools/cli/help.hpp"

namespace gradproof::cli {
namespace {

namespace fs = std::filesystem;

struct PageOptions {
    std::string out;
};

/// Where the page stands: of an installed program in share/gradproof, of one in its build folder in build/web.
std::string found_page() {
    std::error_code unknown, missing;
    const fs::path folder = fs::read_symlink("/proc/self/exe", unknown).parent_path();
    if (!unknown)
        for (const char* place : {"../share/gradproof/gradproof.html", "../web/gradproof.html"})
            if (const fs::path page = (folder / place).lexically_normal(); fs::is_regular_file(page, missing))
                return page.string();
    value_error("page: it is not built yet; tools/web/build makes it, with emscripten and node");
}

int run(const PageOptions& o) {
    const fs::path out = absolute_path(o.out);
    const std::string text = read_text_file(found_page());
    if (!text.starts_with("<!doctype html>"))
        value_error("page: the page that stands beside the program is none; tools/web/build makes it");
    write_file_atomically(out, text);
    fmt::print("{}: {:.1f} MB, opens in a browser without a network\n", printable(o.out, 400),
               static_cast<double>(text.size()) / 1e6);
    return kOk;
}

void set_up_page(const Command& command) {
    describe(
        command,
        {.description =
             R"page(Writes the page: one HTML file that needs no network and nothing installed. It shows the backward pass of attention cell by cell,
nudges entries, puts a softmax under a lens, judges exercises and derivations as they are typed. Its engine is this program's
checker as WebAssembly.)page",
         .exit_status = R"page(0 done
2 bad usage, the page is not built, or a file that cannot be written)page",
         .examples = "gradproof page --out attention.html"});
    auto options = std::make_shared<PageOptions>();
    command.option("--out", options->out, "Where the page is written to").takes("FILE").required();
    command.runs([=] { return run(*options); });
}
const NewCommand kPageCommand("page", "The page: backprop through attention, seen and judged, in one offline file", set_up_page);

}  // namespace

}  // namespace gradproof::cli
