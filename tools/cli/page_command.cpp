// `gradproof page`: writes the page, backprop through attention in one offline file, which tools/web/build makes.
#include <fmt/core.h>

#include "tools/cli/help.hpp"
#include "tools/cli/page_file.hpp"

namespace gradproof::cli {
namespace {

struct PageOptions {
    std::string out;
};

int run(const PageOptions& o) {
    const std::size_t bytes = write_page(o.out, {});
    fmt::print("{}: {:.1f} MB, opens in a browser without a network\n", printable(o.out, 400), static_cast<double>(bytes) / 1e6);
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
