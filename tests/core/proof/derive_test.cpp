// Derived gradients: the lines a person would write, all right, for every forward of the library.
#include "gradproof/core/proof/derive/derive.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gradproof/core/errors.hpp"
#include "gradproof/core/proof/exercises/exercises.hpp"
#include "gradproof/core/proof/library/library.hpp"
#include "tests/support.hpp"

namespace gradproof::proof {
namespace {

Proof read(const std::string& text) { return read_proofs("derived.proof", text).front(); }
Proof from_library(const std::string& name) { return read_proofs(name + ".proof", library_text(name)).front(); }

std::vector<std::string> texts(const Derivation& d) {
    std::vector<std::string> out;
    for (const DerivedLine& l : d.lines) out.push_back(l.text);
    for (const Underived& m : d.missing) out.push_back(m.name + ": " + m.reason);
    return out;
}

TEST(Derive, AttentionAsAPersonWritesIt) {
    EXPECT_EQ(texts(derive(from_library("attention"))), (std::vector<std::string>{
                                                            "∂L/∂A = ∂L/∂O V^T",
                                                            "∂L/∂S = A ⊙ (∂L/∂A - rowsum(∂L/∂A ⊙ A))",
                                                            "∂L/∂V = A^T ∂L/∂O",
                                                            "∂L/∂K = ∂L/∂S^T Q / sqrt(d_k)",
                                                            "∂L/∂Q = ∂L/∂S K / sqrt(d_k)",
                                                        }));
}

TEST(Derive, EveryLineIsRightUnderTheChecker) {
    const std::string text = to_text(derive(from_library("transformer_block")), {.steps = true});
    CheckOptions options;
    options.mutation = false;
    const ProofReport r = check_proof(read(text), options);
    EXPECT_EQ(r.count(Verdict::right), 19) << text;
    EXPECT_EQ(static_cast<std::size_t>(r.count(Verdict::right)), r.lines.size()) << text;
}

std::size_t parts_of_line(const ExprPtr& left, const ExprPtr& right) { return parts_of(*left) + parts_of(*right); }

/// How long the author's claim about the same gradient is: the shortest in the form of the line, or else in the other one.
std::size_t parts_of_claim(const Proof& p, const DerivedLine& l) {
    std::size_t same = 0, any = 0;
    for (const JudgedLine& claim : p.lines) {
        const bool by_entries = claim.left->kind == Kind::index;
        const Expr& of = by_entries ? *claim.left->children[0] : *claim.left;
        if (of.kind != Kind::gradient || of.name != l.name) continue;
        const std::size_t parts = parts_of_line(claim.left, claim.right);
        any = any == 0 ? parts : std::min(any, parts);
        if (by_entries == (l.left->kind == Kind::index)) same = same == 0 ? parts : std::min(same, parts);
    }
    return same > 0 ? same : any;
}

/// Prints a row for each proof: lines, and the line that is longest beside the author's.
TEST(Derive, EveryForwardOfTheLibraryNoLongerThanItsAuthorHasIt) {
    const std::set<std::string> longer;
    std::size_t lines = 0;
    for (const std::string& name : library_names())
        for (const Proof& p : read_proofs(name + ".proof", library_text(name))) {
            const Derivation d = derive(p);
            for (const Underived& m : d.missing) ADD_FAILURE() << name << ": " << m.name << ": " << m.reason;
            lines += d.lines.size();
            double longest = 0;
            std::string row;
            for (const DerivedLine& l : d.lines) {
                const std::size_t claimed = parts_of_claim(p, l);
                if (claimed == 0) continue;
                const double ratio = static_cast<double>(parts_of_line(l.left, l.right)) / static_cast<double>(claimed);
                if (ratio <= longest) continue;
                longest = ratio;
                row = l.text;
            }
            fmt::print("{:24} {:>2} lines, at most {:.2f} of the author's: {}\n", name, d.lines.size(), longest, row);
            if (!longer.contains(name)) {
                EXPECT_LE(longest, 1.5) << name << ": " << row;
            }
        }
    fmt::print("{} lines\n", lines);
}

}  // namespace
}  // namespace gradproof::proof
