// Finds the call of a question, keeps it within time and memory, and words what went wrong.
#include "tools/web/engine.hpp"

#include <array>
#include <string_view>

#include "gradproof/core/platform/control.hpp"
#include "gradproof/core/proof/judge/report.hpp"
#include "gradproof/core/version.hpp"
#include "tools/web/calls.hpp"

namespace gradproof::web {
namespace {

constexpr std::size_t kLongestQuestion = std::size_t{512} << 10;  // bytes
constexpr std::chrono::seconds kLongestCall{30};
constexpr std::int64_t kMostMemory = std::int64_t{128} << 20;  // bytes of tensors

Json version(const Json&) { return {{"version", gradproof::version()}}; }

struct Call {
    std::string_view name;
    Json (*run)(const Json&);
};
constexpr auto kCalls = std::to_array<Call>({{"version", version},
                                             {"explain", explain},
                                             {"cell", cell},
                                             {"values", values},
                                             {"nudge", nudge},
                                             {"words", words},
                                             {"words_time", words_time},
                                             {"check", check},
                                             {"derive", derive},
                                             {"print", print},
                                             {"latex", latex},
                                             {"library", library},
                                             {"library_text", library_text},
                                             {"exercises", exercises},
                                             {"hints", hints},
                                             {"judge", judge},
                                             {"film_start", film_start},
                                             {"film_epoch", film_epoch},
                                             {"film_look", film_look},
                                             {"film_proof", film_proof},
                                             {"replay", replay},
                                             {"documents", documents},
                                             {"document_text", document_text},
                                             {"npy", npy},
                                             {"descent", descent}});

Json run(const std::string& text) {
    if (text.size() > kLongestQuestion)
        value_error("the text has {} bytes, more than the {} that this page takes", text.size(), kLongestQuestion);
    const Json question = Json::parse(text, nullptr, false);
    if (question.is_discarded() || !question.is_object()) value_error("the question is not an object of JSON");
    const std::string name = text_in(question, "call");
    for (const Call& call : kCalls)
        if (call.name == name) {
            const Control control{.deadline = std::chrono::steady_clock::now() + kLongestCall, .memory = kMostMemory};
            const ControlScope scope(control, name);
            return call.run(question);
        }
    value_error("there is no call {}", printable(name, 60));
}

Json error(const std::string& text) { return {{"error", {{"text", printable(text, 1000)}}}}; }

}  // namespace

std::string text_in(const Json& question, const char* key) {
    const auto found = question.find(key);
    if (found == question.end()) return "";
    if (!found->is_string()) value_error("{} is not a text", key);
    return found->get<std::string>();
}

std::string answer(const std::string& question) {
    const auto worded = [&]() -> Json {
        try {
            return {{"ok", run(question)}};
        } catch (const proof::ProofError& e) {
            const Json told = Json::parse(proof::error_json("", e));
            return {{"error", told.at("error")}};
        } catch (const std::bad_alloc&) {
            return error("that takes more memory than this page has");
        } catch (const std::exception& e) {
            return error(e.what());
        }
    };
    return check::json_line(worded());
}

}  // namespace gradproof::web
