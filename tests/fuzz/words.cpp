// Any words are a command to run, or an error of one line; they are not run. And any value may be given to an attribute of an op.
#include "gradproof/core/check/subject.hpp"
#include "gradproof/core/errors.hpp"
#include "gradproof/core/platform/control.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tools/cli/command_line.hpp"

namespace gradproof::fuzz {

GRADPROOF_FUZZ(command_line)(Input in) {
    std::vector<std::string> words{"gradproof", ""};
    for (const char c : in.rest()) {
        if (c == '\n')
            words.emplace_back();
        else if (c != '\0')
            words.back() += c;
    }
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    try {
        static_cast<void>(cli::parse_command_line(static_cast<int>(words.size()), arguments.data()));
    } catch (const ValueError& e) {
        expect_told(printable(e.what(), 2000));  // as it is shown
    }
}

namespace {

AttrValue any_value(Input& in) {
    switch (in.below(6)) {
        case 0: return in.flag();
        case 1: return Index{in.byte()} - 100;
        case 2: return in.raw<Index>();
        case 3: return in.number();
        case 4: return std::vector<double>{in.number(), in.number()};
        default: return in.text(in.below(12));
    }
}

}  // namespace

GRADPROOF_FUZZ(attributes)(Input in) {
    const auto& ops = registry().all();
    const OpEntry& op = *ops[in.below(ops.size())];
    const std::vector<SampleCase> samples = op.samples();
    const SampleCase& sample = samples[in.below(samples.size())];
    AnyAttrs attrs = sample.attrs;
    const std::atomic<bool> stop{false};
    const Control control{
        .stop = &stop, .deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30), .memory = 1 << 24};
    try {
        for (std::size_t n = 1 + in.below(3); n > 0; --n) {
            const std::vector<std::string> names = attrs.names();
            std::string name = names.empty() || in.below(16) == 0 ? in.text(in.below(8)) : names[in.below(names.size())];
            attrs.set(name, any_value(in));
            static_cast<void>(attrs.get(name));
        }
        static_cast<void>(attrs.text());
        const ControlScope scope(control, "fuzz");
        const Tensors x = check::draw(sample.args, Random(in.byte()));
        const Tensor<double> y = check::evaluate<double>(op, attrs, x);
        static_cast<void>(check::differentiate<double>(op, attrs, x, Tensor<double>(y.shape(), 1.0)));
    } catch (const std::invalid_argument& e) {  // ShapeError, ValueError
        expect_told(e.what());
    } catch (const MemoryError&) {
    } catch (const Stopped& e) {
        if (std::string_view(e.what()).find("deadline") != std::string_view::npos)
            broken(std::string(op.info.name) + " takes too long with " + attrs.text());
    }
}

}  // namespace gradproof::fuzz
