// The calls about texts and arrays of the reader's own: notes replayed, arrays of NumPy's files.
#include <fmt/format.h>

#include "gradproof/core/io/npy.hpp"
#include "gradproof/core/proof/documents/replay.hpp"
#include "tools/web/literal.hpp"

namespace gradproof::web {
namespace {

std::vector<std::byte> bytes_in(const Json& question) {
    const auto found = question.find("bytes");
    if (found == question.end() || !found->is_array()) value_error("bytes is not a list");
    std::vector<std::byte> out;
    for (const Json& b : *found) {
        const bool fits = b.is_number_unsigned() && b.get<std::uint64_t>() < 256;
        if (!fits) value_error("bytes holds {}, expected whole numbers from 0 to 255", printable(b.dump(), 20));
        out.push_back(static_cast<std::byte>(b.get<std::uint64_t>()));
    }
    return out;
}

}  // namespace

Json replay(const Json& question) {
    const proof::Document notes = proof::read_document("notes", text_in(question, "text"));
    return Json::parse(to_json(proof::replay(notes), {.all = true, .corrected = true}));
}

Json documents(const Json&) {
    Json out = Json::array();
    for (const std::string& name : proof::document_names())
        out.push_back({{"name", name}, {"title", proof::read_document(name, proof::document_text(name)).title}});
    return out;
}

Json document_text(const Json& question) { return {{"text", proof::document_text(text_in(question, "name"))}}; }

Json npy(const Json& question) {
    const std::string name = text_in(question, "name");
    const Tensor<double> x = to_tensor<double>(parse_npy(bytes_in(question), name), name);
    if (x.rank() != 2) value_error("{}: it is {}, expected a matrix", printable(name, 60), x.shape());
    for (const double v : x)
        if (!std::isfinite(v)) value_error("{}: it holds {}, expected finite numbers", printable(name, 60), v);
    return {{"text", literal(x)}};
}

}  // namespace gradproof::web
