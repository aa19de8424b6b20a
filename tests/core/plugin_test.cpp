// Plugins where none can be loaded; where they can, tests/tools/plugins_test.cpp and sandbox_test.cpp load them.
#include "gradproof/core/plugin.hpp"

#include <gtest/gtest.h>

#include "gradproof/core/platform/shared_library.hpp"
#include "tests/support.hpp"

namespace gradproof {
namespace {

TEST(PluginWithoutSharedLibraries, IsRefusedInASentence) {
    if (loads_shared_libraries()) GTEST_SKIP() << "built with shared libraries";
    EXPECT_EQ(testing::error_of([] { load_plugin("libswish.so"); }),
              "plugin libswish.so: this gradproof loads no plugins: it was built without shared libraries");
    EXPECT_EQ(open_shared_library("/libswish.so").handle, nullptr);
}

}  // namespace
}  // namespace gradproof
