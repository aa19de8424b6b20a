// The functions of a program by what they are given and return, where their lines are read as they stand and not where they are
// called.
//
//   const Program program(source, text);
//   program.call_in(source, right);               // of "forward(x, w)" the function, and x and w
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gradproof/core/proof/language/source.hpp"

namespace gradproof::proof::numpy {

struct ProgramFunction {
    std::vector<std::string> parameters;  ///< without self
    std::vector<Span> returned;           ///< by its last return
    std::size_t begin = 0;                ///< of its def
    Span body{};                          ///< the lines below its def
    std::vector<std::string> updated{};   ///< W of W -= ... and self.W -= ...
    std::vector<std::string> changed{};   ///< W of v = self.W; v *= 2: what it may change by another name
};

class Program {
  public:
    Program() = default;
    Program(const Source& source, Span text);
    /// A call, with what each parameter is given: an empty span where that is its default.
    struct Call {
        const ProgramFunction* function = nullptr;
        std::map<std::string, Span> given;
    };
    /// Nothing where the text is no such call.
    std::optional<Call> call_in(const Source& source, Span s) const;
    bool has_class(std::string_view name) const;
    bool has_function(std::string_view name) const { return functions_.contains(name); }
    /// Of the backward of a torch.autograd.Function, of a jax.custom_vjp, or of a layer with one input, whose def begins there:
    /// the inputs of its forward, by which it returns gradients in their order. None of others.
    std::vector<std::string> inputs_of_backward(std::size_t def) const;
    /// Of the f_bwd(res, g) of a jax.custom_vjp, whose def begins there, what f_fwd returns as res; empty of others.
    Span residual_of_backward(std::size_t def) const;
    /// Whether f.defvjp(f_fwd, f_bwd), which begins there, has an f_fwd whose returned value is written otherwise than that of f.
    bool has_differing_forwards(std::size_t pair) const { return differing_.contains(pair); }
    /// Whether such a pair begins there, and one of the same f stands above.
    bool is_paired_again(std::size_t pair) const { return paired_again_.contains(pair); }
    /// Whether the f or f_fwd of such a pair begins there, in which no gradients are followed.
    bool is_untracked(std::size_t def) const { return untracked_.contains(def); }
    /// Whether the f of such a pair begins there, and f_fwd computes again what it returns: f_fwd is what is differentiated.
    bool is_computed_again(std::size_t def) const { return repeated_.contains(def); }

  private:
    std::map<std::string, std::vector<ProgramFunction>, std::less<>> functions_;
    void see_pairs(const Source& source, Span text);
    void see_forwards(const Source& source, std::size_t at, const ProgramFunction& forward);

    std::vector<std::string> classes_;
    std::set<std::size_t> differing_, repeated_, untracked_, paired_again_;
    std::map<std::size_t, std::vector<std::string>> inputs_;  ///< of backwards, by where their def begins
    std::map<std::size_t, Span> residuals_;                   ///< likewise
};

}  // namespace gradproof::proof::numpy
