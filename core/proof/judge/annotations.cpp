// Reports for continuous integration.
#include "gradproof/core/proof/judge/annotations.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>

#include <fmt/format.h>

#include "gradproof/core/check/json.hpp"
#include "gradproof/core/proof/judge/report_rows.hpp"
#include "gradproof/core/text_table.hpp"
#include "gradproof/core/version.hpp"

namespace gradproof::proof {
namespace {

using check::Json;

/// Something to be told about a place of a file.
struct Annotation {
    std::size_t rule;  ///< of kRules
    std::string file;
    int line, column;
    std::string text;
};
struct Rule {
    const char *id, *level, *command, *title, *meaning;  ///< level of SARIF, command of a workflow
};
constexpr std::array<Rule, 6> kRules{{
    {"wrong", "error", "error", "wrong", "A line differs from the true derivative by more than rounding."},
    {"cannot-tell", "warning", "warning", "cannot tell",
     "Whether a line is right cannot be decided; the message says what to change."},
    {"unreadable", "error", "error", "cannot be read", "A file is no derivation, or a line of it is not read."},
    {"passed-over", "note", "notice", "passed over", "Lines are right if this, which is not read, changes nothing."},
    {"read-so", "note", "notice", "right as it is read", "A line is right in the reading that the message names."},
    {"not-run", "warning", "warning", "not compared with a run", "The program was run, and what a line computes was not seen."},
}};

/// What a report says of a line, in one: the line, why, and what to write.
std::string told(const LineReport& l) {
    std::string out = l.text;
    if (l.diagnosis && !l.diagnosis->text.empty()) out += ": " + l.diagnosis->text;
    if (!l.reason.empty()) out += ": " + l.reason;
    if (!l.read_as.empty()) out += "; " + l.read_as;
    if (l.diagnosis && !l.diagnosis->repair.empty()) out += "; write  " + l.diagnosis->repair;
    if (!l.derived.empty()) out += "; derived  " + l.derived;
    if (l.worst && l.reason.empty() && l.verdict == Verdict::wrong)
        out += "; worst" + (l.worst->index.empty() ? "" : " at " + index_text(l.worst->index)) + ": " +
               check::claimed_and_true(l.worst->claimed, l.worst->truth, 6);
    return printable(out, 1000);
}

/// At a place of the file that it stands in. The lines of a notebook's cells are none of its file: they are told.
Annotation annotation(std::size_t rule, const std::string& file, const TextSpan& at, const std::string& text) {
    const auto shown = [](const std::string& name) { return printable(name, 1000); };
    if (at.in.empty()) return {rule, shown(file), at.line, at.column, text};
    if (!is_latex(at.in)) return {rule, shown(file), 1, 1, fmt::format("{}, line {}: {}", at.in, at.line, text)};
    return {rule, shown(std::filesystem::path(file).replace_filename(at.in).string()), at.line, at.column, text};
}

/// What right lines of a derivation are right for, "symmetric A", and what is passed over.
std::string conditions(const ProofReport& p) {
    std::string out = for_text(p.domain);
    const auto add = [&](const PassedOver& s, const char* what) {
        out += fmt::format("{}line {} is {}: {}", out.empty() ? "" : "; ", line_text(s.line, s.in), what, s.why);
    };
    for (const PassedOver& s : p.passed_over) add(s, "passed over");
    for (const PassedOver& s : p.not_compared()) add(s, "not compared with a run");
    return printable(out, 1000);
}

std::vector<Annotation> annotations_of(const std::vector<Checked>& files) {
    std::vector<Annotation> out;
    for (const Checked& c : files) {
        if (c.error) out.push_back(annotation(2, c.report.file, c.error->at(), printable(c.error->message(), 1000)));
        for (const ProofReport& p : c.report.proofs) {
            for (const LineReport& l : p.lines)
                if (!l.skipped && (l.unread || l.verdict != Verdict::right)) {
                    const TextSpan& at = l.at ? *l.at : l.span;
                    out.push_back(annotation(l.unread ? 2u : l.verdict == Verdict::wrong ? 0u : 1u, c.report.file, at, told(l)));
                }
            for (const LineReport& l : p.lines)
                if (l.is_right() && !l.read_as.empty()) out.push_back(annotation(4, c.report.file, l.span, told(l)));
            if (std::ranges::none_of(p.lines, &LineReport::is_right)) continue;
            const auto add = [&](std::size_t rule, const PassedOver& s, const std::string& text) {
                out.push_back(annotation(rule, c.report.file, {.line = s.line, .column = 1, .in = s.in}, printable(text, 1000)));
            };
            for (const PassedOver& s : p.passed_over) add(3, s, s.why + ": " + s.text);
            for (const PassedOver& s : p.not_compared()) add(5, s, s.text + ": " + s.why);
        }
    }
    return out;
}

/// Each of those characters as `%` and its number, as commands of a workflow and addresses have it.
std::string percent_encoded(std::string_view text, const std::function<bool(unsigned char)>& is_plain) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        out += is_plain(byte) ? std::string(1, c) : fmt::format("%{:02X}", byte);
    }
    return out;
}

std::string escaped_xml(std::string_view text) {
    std::string out;
    for (const char c : text) switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            default: out += c;
        }
    return out;
}

}  // namespace

std::string to_github(const std::vector<Checked>& files) {
    const auto of_text = [](std::string_view t) {
        return percent_encoded(t, [](unsigned char c) { return c != '%' && c != '\r' && c != '\n'; });
    };
    const auto of_property = [](std::string_view t) {
        return percent_encoded(t, [](unsigned char c) { return c != '%' && c != '\r' && c != '\n' && c != ':' && c != ','; });
    };
    std::string out;
    for (const Annotation& a : annotations_of(files))
        out += fmt::format("::{} file={},line={},col={},title=gradproof%3A {}::{}\n", kRules[a.rule].command, of_property(a.file),
                           a.line, a.column, kRules[a.rule].title, of_text(a.text));
    return out;
}

std::string to_sarif(const std::vector<Checked>& files) {
    Json rules = Json::array(), results = Json::array();
    for (const Rule& r : kRules)
        rules.push_back({{"id", r.id},
                         {"shortDescription", {{"text", r.title}}},
                         {"fullDescription", {{"text", r.meaning}}},
                         {"defaultConfiguration", {{"level", r.level}}}});
    const auto address = [](const std::string& file) {
        const std::string plain = "-._~/!$&'()*+,;=@";
        return percent_encoded(file, [&](unsigned char c) {
            return (c < 0x80 && std::isalnum(c) != 0) || plain.find(static_cast<char>(c)) != std::string::npos;
        });
    };
    for (const Annotation& a : annotations_of(files)) {
        const Json place{{"artifactLocation", {{"uri", address(a.file)}}},
                         {"region", {{"startLine", a.line}, {"startColumn", a.column}}}};
        results.push_back({{"ruleId", kRules[a.rule].id},
                           {"ruleIndex", a.rule},
                           {"level", kRules[a.rule].level},
                           {"message", {{"text", a.text}}},
                           {"locations", Json::array({Json::object({{"physicalLocation", place}})})}});
    }
    const Json driver{{"name", "gradproof"}, {"version", version()}, {"rules", rules}};
    const Json run =
        Json::object({{"tool", Json::object({{"driver", driver}})}, {"columnKind", "unicodeCodePoints"}, {"results", results}});
    return check::json_line(
        {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", Json::array({run})}});
}

std::string to_junit(const std::vector<Checked>& files) {
    std::string suites;
    int all = 0, all_failures = 0, all_errors = 0;
    for (const Checked& c : files) {
        std::string cases;
        int tests = 0, failures = 0, errors = 0, skipped = 0;
        const std::string file = escaped_xml(printable(c.report.file, 1000));
        const auto add = [&](const std::string& suite, const std::string& name, const std::string& body) {
            ++tests;
            cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\"{}\n", escaped_xml(printable(suite, 400)),
                                 escaped_xml(printable(name, 400)), body.empty() ? "/>" : ">" + body + "</testcase>");
        };
        if (c.error) {
            ++errors;
            add(c.report.file, "reading",
                fmt::format("<error type=\"unreadable\" message=\"{}\"/>",
                            escaped_xml(fmt::format("{}: {}", place_text(c.error->at().in, c.error->line(), c.error->column()),
                                                    printable(c.error->message(), 1000)))));
        }
        for (const ProofReport& p : c.report.proofs)
            for (const LineReport& l : p.lines) {
                std::string body;
                if (l.skipped) {
                    ++skipped;
                    body = "<skipped/>";
                } else if (l.unread) {
                    ++errors;
                    body = fmt::format("<error type=\"unreadable\" message=\"{}\"/>", escaped_xml(told(l)));
                } else if (l.verdict == Verdict::wrong) {
                    ++failures;
                    body = fmt::format("<failure type=\"wrong\" message=\"{}\"/>", escaped_xml(told(l)));
                } else if (l.verdict == Verdict::cannot_tell) {
                    ++errors;
                    body = fmt::format("<error type=\"cannot tell\" message=\"{}\"/>", escaped_xml(told(l)));
                } else {
                    std::string holds = conditions(p);
                    if (!l.read_as.empty()) holds = printable(l.read_as, 1000) + (holds.empty() ? "" : "; ") + holds;
                    if (!holds.empty()) body = fmt::format("<system-out>{}</system-out>", escaped_xml(holds));
                }
                add(p.title.empty() ? c.report.file : p.title, fmt::format("line {}: {}", line_text(l), l.text), body);
            }
        suites +=
            fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{}  </testsuite>\n",
                        file, tests, failures, errors, skipped, cases);
        all += tests;
        all_failures += failures;
        all_errors += errors;
    }
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gradproof\" tests=\"{}\" failures=\"{}\" "
        "errors=\"{}\">\n{}"
        "</testsuites>\n",
        all, all_failures, all_errors, suites);
}

}  // namespace gradproof::proof
