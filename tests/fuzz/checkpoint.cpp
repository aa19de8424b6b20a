// Any text is the config of a checkpoint, the same once written and read again, or an IoError.
#include "gradproof/core/errors.hpp"
#include "gradproof/nn/train/config.hpp"
#include "tests/fuzz/fuzz.hpp"

GRADPROOF_FUZZ(checkpoint)(gradproof::fuzz::Input in) {
    using namespace gradproof;
    const std::string text = in.rest();
    const auto read = [](auto&& by) {
        try {
            by();
        } catch (const IoError& e) {
            fuzz::expect_told(e.what());
        }
    };
    const auto expect_stable = [](const std::string& once, const std::string& twice) {
        if (once != twice) fuzz::broken("a config changes as it is written and read:\n" + once + twice);
    };
    read([&] { static_cast<void>(config_task(text, "fuzz")); });
    read([&] {
        const std::string once = config_text(expression_config(text, "fuzz"));
        expect_stable(once, config_text(expression_config(once, "again")));
    });
    read([&] {
        const TextConfig first = text_config(text, "fuzz");
        const std::string once = config_text(first.options, first.facts);
        const TextConfig second = text_config(once, "again");
        expect_stable(once, config_text(second.options, second.facts));
    });
}
