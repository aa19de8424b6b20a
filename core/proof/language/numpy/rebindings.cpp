// What binds names anew that lines use which are read.
#include "gradproof/core/proof/language/numpy/rebindings.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/numpy/bound_again.hpp"
#include "gradproof/core/proof/language/numpy/changed_between.hpp"
#include "gradproof/core/proof/language/numpy/lines.hpp"
#include "gradproof/core/proof/language/numpy/outside_names.hpp"
#include "gradproof/core/proof/language/numpy/rebound.hpp"

namespace gradproof::proof::numpy {
namespace {

class Rebindings {
  public:
    Rebindings(const Source& source, const ScopedLines& program, const Statements& to)
        : source_(source),
          to_(to),
          lines_(program),
          read_(lines_.all().size(), false),
          updates_(read_),
          used_(lines_.scopes().size(), false) {
        find_read();
        find_used();
    }
    std::vector<Passed> all() {
        for (std::size_t i = 0; i < lines_.all().size(); ++i)
            for (const Binding& b : line(i).bindings) look_at(i, b);
        for (std::size_t i = first_read_; i < lines_.all().size(); ++i)
            if (!line(i).is_read) see_calls(i);
        return std::move(out_);
    }

  private:
    using By = Binding::By;
    using Line = ScopedLines::Line;
    using Scope = ScopedLines::Scope;

    const Line& line(std::size_t i) const { return lines_.all()[i]; }
    const Scope& scope(std::size_t i) const { return lines_.scopes()[i]; }

    void tell(std::size_t i, std::string why) {
        const std::size_t begin = line(i).span.begin;
        const auto same = [&](const Passed& p) { return p.span.begin == begin; };
        const auto lost = [&](const JudgedLine& l) { return !l.is_judged() && l.statement.span.begin == begin; };
        const Proof& proof = to_.proof();
        if (std::ranges::any_of(proof.passed_over, same) || std::ranges::any_of(out_, same)) return;
        if (std::ranges::none_of(proof.lines, lost)) out_.push_back({line(i).span, std::move(why)});
    }

    /// from mine import *, globals()["k"] = 3, setattr(Tanh, "backward", f)
    bool may_bind_any(std::string_view code) const {
        if (has_any(code, {"import *"})) return binds_unseen(code);
        if (has_any(code, {"exec(", "globals()", "vars()", "sys.modules"})) return true;
        const std::size_t at = code.find("setattr(");
        return at != code.npos && is_used_at_module(first_word(code.substr(at + std::string_view("setattr(").size())));
    }

    /// p.update(k=3.0) of a p that functions use, and what may bind any name.
    void see_calls(std::size_t i) {
        const std::string_view code = lines_.code(i);
        if (may_bind_any(code)) tell(i, "it may give names to something else");
        const std::string name(first_word(code));
        if (line(i).scope != ScopedLines::kModule || name.empty() || code.substr(name.size(), 1) != ".") return;
        const std::string_view rest = code.substr(name.size() + 1), method = first_word(rest);
        if (rest.substr(method.size()).starts_with("(") && !is_function_that_reads(method) && is_taken_from_module(name))
            tell(i, fmt::format("it may change {}", name));
    }

    /// The statements that were read as values, gradients and updates.
    void find_read() {
        const Proof& proof = to_.proof();
        std::set<std::size_t> at;
        for (const Assignment& a : proof.forward) at.insert(a.statement.span.begin);
        for (const JudgedLine& l : proof.lines) at.insert(l.statement.span.begin);
        std::set<std::size_t> updates;
        for (const Span s : proof.updates) updates.insert(s.begin);
        at.insert(updates.begin(), updates.end());
        first_read_ = lines_.all().size();
        for (std::size_t i = 0; i < lines_.all().size(); ++i) {
            const auto first = at.lower_bound(line(i).span.begin);
            read_[i] = line(i).is_read && first != at.end() && *first < line(i).span.end;
            updates_[i] = read_[i] && updates.contains(*first);
            if (read_[i]) first_read_ = std::min(first_read_, i);
        }
    }
    /// The functions and classes in which they stand, and the functions that these call.
    void find_used() {
        std::vector<std::size_t> open;
        const auto use = [&](std::size_t s) {
            for (; s != ScopedLines::kModule && !used_[s]; s = scope(s).parent) {
                used_[s] = true;
                open.push_back(s);
            }
        };
        bool in_module = false;
        for (std::size_t i = 0; i < read_.size(); ++i) {
            if (!read_[i]) continue;
            use(line(i).scope);
            add_called(i);
            in_module = in_module || line(i).scope == ScopedLines::kModule;
        }
        with_lines_ = used_;
        with_lines_[ScopedLines::kModule] = in_module;
        do {
            for (; !open.empty(); open.pop_back())
                for (std::size_t i = scope(open.back()).head; i < line(scope(open.back()).head).body_end; ++i) add_called(i);
            for (std::size_t s = 1; s < used_.size(); ++s)
                if (scope(s).of == Scope::Of::function && called_.contains(scope(s).name)) use(s);
        } while (!open.empty());
    }
    void add_called(std::size_t i) {
        const std::string_view code = lines_.code(i);
        const std::string_view defines = first_word(code) == "def" ? code.substr(0, code.find('(') + 1) : "";  // is no call
        for (const std::string& name : identifiers_in(code))
            if (code.find(name + "(", defines.size()) != code.npos) called_.insert(name);
    }

    /// Whether it is none of the lines that are read as they stand.
    bool is_passed(std::size_t i, const Binding& b) const {
        if (!line(i).is_read || b.by != By::assignment || is_of_a_walrus(i, b)) return !holds_read(i);
        return is_under_main(i) || (line(i).scope != ScopedLines::kModule && !with_lines_[line(i).scope]);
    }
    bool is_of_a_walrus(std::size_t i, const Binding& b) const {
        return has_any(lines_.code(i), {fmt::format("{} :=", b.target), fmt::format("{}:=", b.target)});
    }
    bool holds_read(std::size_t i) const {
        for (std::size_t j = i; j < line(i).body_end; ++j)
            if (read_[j]) return true;
        return false;
    }
    bool is_under_main(std::size_t i) const {
        for (std::size_t at = line(i).around; at != ScopedLines::kNone; at = line(at).around)
            if (lines_.code(at).find("__name__") != std::string_view::npos) return true;
        return false;
    }

    void look_at(std::size_t i, const Binding& b) {
        if (b.by == By::deletion || b.name().empty()) return;
        if (b.target == "print") see_print(i, b, lines_.scope_of(i, b.target));
        if (b.by == By::definition && defines_in_another_part(i, b)) tell(i, fmt::format("it defines {} again", b.target));
        if (!is_passed(i, b) || stays_the_same(i, b)) return;
        if (b.by == By::loop || b.by == By::block || b.by == By::import || b.by == By::definition) see_in_scope(i, b);
        if (b.by == By::definition) see_decorated(i, b);
        if (!b.is_name()) return see_place(i, b);
        const std::size_t in = lines_.scope_of(i, b.target);
        if (binds_used_function(i, b, in)) tell(i, fmt::format("it gives the name {} to something else", b.target));
        const bool taken = in == ScopedLines::kModule ? is_taken_from_module(b.target) : is_taken_from_class(in, b.target);
        if (taken && is_last(i, b.target, in)) tell(i, fmt::format("it gives {} another value", b.target));
        if (in == ScopedLines::kModule && hides_builtin(i, b)) tell(i, fmt::format("it defines {} anew", b.target));
    }

    /// @add_to_class(Net) above def forward(self, x): of a class whose lines are read.
    void see_decorated(std::size_t i, const Binding& b) {
        const std::string_view above = i > 0 ? lines_.code(i - 1) : std::string_view();
        if (!above.starts_with("@")) return;
        for (const std::string& name : identifiers_in(above))
            for (std::size_t s = 1; s < used_.size(); ++s) {
                const Scope& in = scope(scope(s).parent);
                if (scope(s).name == b.target && in.of == Scope::Of::type && in.name == name && scope(s).head != i)
                    return tell(i, fmt::format("it may give {}.{} another meaning", name, b.target));
            }
    }

    /// k = 2.0 once more, and forward = jax.jit(forward).
    bool stays_the_same(std::size_t i, const Binding& b) const {
        const std::string_view code = lines_.code(i);
        for (const std::string_view compiled : {"jit", "jax.jit", "njit", "numba.njit", "torch.compile"})
            if (code == fmt::format("{0} = {1}({0})", b.target, compiled)) return true;
        const auto [at, size] = assignment_in(source_, line(i).span);
        if (size != 1 || !is_number_text(source_.slice(trimmed(source_, {at + 1, line(i).span.end})))) return false;
        bool any = false, all = true;
        for (std::size_t j = 0; j < read_.size(); ++j)
            if (assigns_in(j, b.target, ScopedLines::kModule)) any = true, all = all && lines_.code(j) == code;
        return any && all;
    }

    /// Of a function, a method or a class that is read and stands above.
    bool binds_used_function(std::size_t i, const Binding& b, std::size_t in) const {
        std::size_t last = ScopedLines::kNone;
        for (std::size_t s = 1; s < used_.size(); ++s)
            if (used_[s] && scope(s).parent == in && scope(s).name == b.target && scope(s).head != i) last = scope(s).head;
        if (last == ScopedLines::kNone || (line(i).of_another && !called_.contains(b.target))) return false;
        if (line(i).scope != in) return true;  // global f
        const bool beside = b.by == By::definition && line(i).indent == line(last).indent && line(i).part == line(last).part;
        return last < i && !beside;
    }

    /// Of what a block of Markdown above defines, or a cell, where both are read.
    bool defines_in_another_part(std::size_t i, const Binding& b) const {
        if (line(i).of_another) return false;
        for (std::size_t s = 1; s < used_.size(); ++s)
            if (used_[s] && scope(s).parent == line(i).scope && scope(s).name == b.target && scope(s).head < i &&
                line(scope(s).head).part != line(i).part)
                return true;
        return false;
    }

    /// Whether a function that is read uses the module's name, to which a line gives a value that was read.
    bool is_taken_from_module(const std::string& name) const {
        const auto given = std::ranges::find(to_.proof().given, name, &Given::name);
        if (given != to_.proof().given.end() && given->fill != Fill::literal) return false;
        bool assigned = false, used = false;
        for (std::size_t i = 0; i < read_.size() && !(assigned && used); ++i) {
            if (lines_.code(i).find(name) == std::string_view::npos) continue;
            assigned =
                assigned || (assigns_in(i, name, ScopedLines::kModule) && (to_.names().defined(name) || is_written_out(i)));
            const std::size_t in = line(i).scope;
            used = used || (in != ScopedLines::kModule && used_[in] && scope(in).of == Scope::Of::function &&
                            !lines_.is_own(in, name) && !updates_[i] && matters(i) && uses(i, name));
        }
        return assigned && used;
    }
    /// k = 2.0 and p = {"k": 2.0}
    bool is_written_out(std::size_t i) const {
        const auto [at, size] = assignment_in(source_, line(i).span);
        const std::string_view right = source_.slice(trimmed(source_, {at + size, line(i).span.end}));
        return size > 0 && !right.empty() && std::string_view("{[(-.0123456789").find(right[0]) != std::string_view::npos;
    }
    /// k of a class, which its methods use as self.k.
    bool is_taken_from_class(std::size_t in, const std::string& name) const {
        if (!used_[in] || scope(in).of != Scope::Of::type) return false;
        const std::size_t begin = scope(in).head, end = line(begin).body_end;
        bool assigned = false;
        for (std::size_t i = begin; i < end; ++i) assigned = assigned || assigns_in(i, name, in);
        for (std::size_t i = begin; i < end && assigned; ++i)
            for (const std::string& owner : {std::string("self"), std::string("cls"), scope(in).name})
                if (has_place(lines_.code(i), owner + "." + name)) return true;
        return false;
    }
    /// A line of the derivation that assigns it, whatever comes.
    bool assigns_in(std::size_t i, const std::string& name, std::size_t in) const {
        if (!line(i).is_read || line(i).scope != in || line(i).around != ScopedLines::kNone) return false;
        return std::ranges::any_of(line(i).bindings,
                                   [&](const Binding& b) { return b.by == By::assignment && b.target == name; });
    }
    /// Whether no line of the derivation gives the name its own value again.
    bool is_last(std::size_t i, const std::string& name, std::size_t in) const {
        if (line(i).scope != in) return true;
        for (std::size_t j = i + 1; j < read_.size(); ++j)
            if (assigns_in(j, name, in)) return false;
        return true;
    }

    /// def len(a): under an if, of a len that lines call which are read. Others are seen where they are read.
    bool hides_builtin(std::size_t i, const Binding& b) const {
        const bool inner = b.by == By::definition && line(i).around != ScopedLines::kNone;
        return inner && is_word_of_python(b.target) && called_.contains(b.target);
    }
    /// from operator import isub as print
    void see_print(std::size_t i, const Binding& b, std::size_t in) {
        constexpr std::array<std::string_view, 3> kPrint{"rich.print", "builtins.print", "__future__.print_function"};
        if (is_one_of(kPrint, b.of)) return;
        for (std::size_t j = 0; j < read_.size(); ++j)
            if (lines_.code(j).starts_with("print(") && with_lines_[line(j).scope] && lines_.is_within(j, in))
                return tell(i, "print is something else, and may change what it is given");
    }

    /// for dX in (dX, dW): print(dX), below which dX is used.
    void see_in_scope(std::size_t i, const Binding& b) {
        const std::size_t in = line(i).scope;
        if (!line(i).is_read || !with_lines_[in] || scope(in).of == Scope::Of::type) return;
        const std::string name = b.name();
        const bool is_attribute = b.target.substr(name.size(), 1) == ".";
        if (!is_attribute && is_bound_before(i, name) && is_used_behind(i, name))
            tell(i, fmt::format("it gives {} another value", name));
    }
    bool is_bound_before(std::size_t i, const std::string& name) const {
        const std::size_t in = line(i).scope;
        if (scope(in).given.contains(name)) return true;
        for (std::size_t j = scope(in).head; j < i; ++j) {
            if (line(j).scope != in || lines_.code(j).find(name) == std::string_view::npos) continue;
            const auto binds_it = [&](const Binding& b) { return b.name() == name; };
            if (std::ranges::any_of(line(j).bindings, binds_it) || (read_[j] && to_.names().defined(name) && uses(j, name)))
                return true;
        }
        return false;
    }
    bool is_used_behind(std::size_t i, const std::string& name) const {
        const std::size_t in = line(i).scope;
        const auto binds_it = [&](const Binding& b) { return b.target == name; };
        for (std::size_t j = line(i).body_end; j < read_.size(); ++j) {
            if (!line(j).is_read || !lines_.is_within(j, in) || lines_.code(j).find(name) == std::string_view::npos) continue;
            const bool own = line(j).scope != in && lines_.is_own(line(j).scope, name);
            if (!own && (line(j).scope == in || in != ScopedLines::kModule) && matters(j) && uses(j, name)) return true;
            if (line(j).scope == in && line(j).indent <= line(i).indent && std::ranges::any_of(line(j).bindings, binds_it))
                return false;
        }
        return false;
    }
    /// for self.X in rows: print(self.X), and c["X"] = 2 in a cell that is not marked.
    void see_place(std::size_t i, const Binding& b) {
        const std::string name = b.name(), place = b.target.substr(0, b.target.find('['));
        const bool of_module = lines_.scope_of(i, name) == ScopedLines::kModule;
        if (place == name && of_module && (b.by != By::assignment || !line(i).is_read) && is_taken_from_module(name) &&
            is_last(i, name, ScopedLines::kModule))
            tell(i, fmt::format("it gives {} another value", b.target));
        if (b.by == By::assignment && place != name && !line(i).is_read && i > first_read_ && is_used_at_module(name))
            tell(i, fmt::format("it gives {} another value", b.target));
        if (b.by == By::assignment || place == name) return;
        for (std::size_t j = 0; j < read_.size(); ++j)
            if ((j < i || j >= line(i).body_end) && line(j).is_read && matters(j) && has_place(lines_.code(j), place))
                return tell(i, fmt::format("it gives {} another value", b.target));
    }
    /// Of a class or a function of the module that is read.
    bool is_used_at_module(std::string_view name) const {
        for (std::size_t s = 1; s < used_.size(); ++s)
            if (used_[s] && scope(s).parent == ScopedLines::kModule && scope(s).name == name) return true;
        return false;
    }
    static bool has_place(std::string_view code, std::string_view place) {
        for (std::size_t at = code.find(place); at != code.npos; at = code.find(place, at + 1)) {
            const bool begins = at == 0 || !goes_on_in_identifier(code[at - 1]);
            const std::size_t end = at + place.size();
            if (begins && (end == code.size() || !goes_on_in_identifier(code[end]))) return true;
        }
        return false;
    }

    /// Whether the line uses the name: not as what it assigns alone.
    bool uses(std::size_t i, const std::string& name) const {
        const std::string_view code = lines_.code(i);
        const auto binds_it = [&](const Binding& b) { return b.by == By::assignment && b.target == name; };
        const auto [at, size] = assignment_in(source_, line(i).span);
        if (size == 1 && std::ranges::any_of(line(i).bindings, binds_it))
            return uses_name(source_.slice({at + 1, line(i).span.end}), name);
        return uses_name(code, name);
    }
    /// Whether it does more than to show something.
    bool matters(std::size_t i) const {
        constexpr std::array<std::string_view, 12> kShow{"print",  "assert",  "raise",    "pass",    "break", "continue",
                                                         "logger", "logging", "warnings", "display", "plt",   "global"};
        constexpr std::array<std::string_view, 6> kCompound{"if", "elif", "else", "for", "while", "with"};
        const std::string_view word = first_word(lines_.code(i));
        if (is_one_of(kShow, word)) return false;
        if (!is_one_of(kCompound, word) || line(i).body_end <= i + 1) return true;
        for (std::size_t j = i + 1; j < line(i).body_end; ++j)
            if (matters(j)) return true;
        return false;
    }

    const Source& source_;
    const Statements& to_;
    const ScopedLines& lines_;
    std::vector<bool> read_, updates_;  ///< lines
    std::vector<bool> used_;            ///< scopes in which lines stand that are read, and functions that these call
    std::vector<bool> with_lines_;      ///< those in which they stand
    std::set<std::string> called_;
    std::size_t first_read_ = 0;
    std::vector<Passed> out_;
};

}  // namespace

std::vector<Passed> rebindings_in(const Source& source, const ScopedLines& program, const Statements& to) {
    return Rebindings(source, program, to).all();
}

}  // namespace gradproof::proof::numpy
