// Finding the page, laying a starting state into it, and writing it.
#include "tools/cli/page_file.hpp"

#include <filesystem>

#include "gradproof/core/check/json.hpp"
#include "gradproof/core/platform/files.hpp"
#include "gradproof/core/proof/language/write_proof.hpp"
#include "tools/cli/help.hpp"

namespace gradproof::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStart = R"(<script type="application/json" id="start">)";
constexpr std::size_t kLongestText = std::size_t{256} << 10;  // bytes

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

/// JSON that may stand within a script element: no `<` of it can end that.
std::string as_json(const PageStart& start) {
    const std::string json =
        check::Json{{"view", start.view}, {"text", start.text}}.dump(-1, ' ', false, check::Json::error_handler_t::replace);
    std::string out;
    for (const char c : json) out += c == '<' ? std::string("\\u003c") : std::string(1, c);
    return out;
}

}  // namespace

std::size_t write_page(const std::string& out, const PageStart& start) {
    const fs::path path = absolute_path(out);
    std::string text = read_text_file(found_page());
    const std::size_t at = text.find(kStart);
    if (!text.starts_with("<!doctype html>") || at == std::string::npos)
        value_error("page: the page beside the program is of another version, or no page; tools/web/build makes it");
    if (start.text.size() > kLongestText)
        value_error("page: the derivation has {} bytes, the page takes at most {}", start.text.size(), kLongestText);
    if (!start.view.empty()) text.insert(at + kStart.size(), as_json(start));
    write_file_atomically(path, text);
    return text.size();
}

std::string derivation_text(const std::string& file, const proof::Text& text) {
    if (file.ends_with(".proof")) return text.whole;
    std::string out;
    for (const proof::Proof& p : proof::read_proofs(file, text))
        out += (out.empty() ? "" : "\n") + written(p, proof::Notation::notation);
    return out;
}

}  // namespace gradproof::cli
