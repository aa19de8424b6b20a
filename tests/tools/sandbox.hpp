// What the tests of plugins share: the libraries that an outside project was built into, and runs of the program with them.
#pragma once

#include <cstdlib>

#include <nlohmann/json.hpp>

#include "gradproof/core/platform/shared_library.hpp"
#include "tests/paths.hpp"
#include "tests/tools/folder.hpp"

namespace gradproof::testing {

/// The plugins that the test Sandbox.PluginsAreBuilt leaves behind, and a folder to write to.
class Sandbox : public InAFolder {
  public:
    static nlohmann::json json_of(const ProgramRun& r) { return nlohmann::json::parse(r.text.substr(r.text.find("{\n"))); }

  protected:
    void SetUp() override {
        InAFolder::SetUp();
        if (!loads_shared_libraries()) GTEST_SKIP() << "built without shared libraries: loads no plugins";
        ASSERT_TRUE(std::filesystem::exists(std::filesystem::path(GRADPROOF_SANDBOX) / "new_op/build/libtest.so"))
            << "the plugins are not built: ctest -R Sandbox.PluginsAreBuilt";
        // A crash is to be one under the sanitizers too.
        for (const char* options : {"ASAN_OPTIONS", "TSAN_OPTIONS"}) {
            const char* set = std::getenv(options);
            ::setenv(options, (std::string(set == nullptr ? "" : set) + ":handle_segv=0:handle_abort=0").c_str(), 1);
        }
    }

    static std::string plugin(const std::string& name) { return std::string(GRADPROOF_SANDBOX) + "/plugins/lib" + name + ".so"; }
    static ProgramRun run(const std::string& arguments) { return run_program(arguments); }
    /// With more time than users are given where nothing else is said: sanitizers are slow.
    static ProgramRun check(const std::string& name, const std::string& more = "") {
        const std::string limit = more.find("--time-limit") == std::string::npos ? "--time-limit 280 " : "";
        return run("check --plugin " + plugin(name) + " " + limit + more);
    }

    /// For tests that load in this process: the system loads a file only once.
    std::string copy_of(const std::string& name, const std::string& as = "") const {
        const std::filesystem::path to = dir_ / (as.empty() ? "lib" + name + ".so" : as);
        std::filesystem::copy(plugin(name), to);
        return to.string();
    }
    /// A library whose bytes differ from those of tiny by `from` -> `to`, of one length.
    std::string patched(const std::string& name, const std::string& from, const std::string& to) const {
        std::string bytes = read(plugin("tiny"));
        for (std::size_t at = 0; (at = bytes.find(from, at)) != std::string::npos; at += to.size())
            bytes.replace(at, from.size(), to);
        const std::string path = (dir_ / name).string();
        std::ofstream(path, std::ios::binary) << bytes;
        return path;
    }
};

}  // namespace gradproof::testing
