// `gradproof new-op`: what it writes, and that it neither overwrites nor leaves anything half done.
// That it is right: sandbox_test.cpp.
#include "tests/tools/folder.hpp"

namespace gradproof {
namespace {

using testing::expect_one_line;
using testing::read;
using testing::run_program;
namespace fs = std::filesystem;

class NewOp : public testing::InAFolder {};

TEST_F(NewOp, NeverOverwrites) {
    const auto refused = [&](const std::string& existing) {
        const fs::path dir = dir_ / existing;
        fs::create_directory(dir);
        std::ofstream(dir / existing) << "mine";
        expect_one_line(run_program("new-op swish --dir " + dir.string()), existing + " exists already");
        EXPECT_EQ(read(dir / existing), "mine");
        EXPECT_EQ(std::distance(fs::directory_iterator(dir), {}), 1);  // nothing half done
    };
    refused("swish.cpp");
    refused("CMakeLists.txt");
    fs::create_symlink("nowhere", dir_ / "gelu2.cpp");
    expect_one_line(run_program("new-op gelu2 --dir " + dir_.string()), "gelu2.cpp exists already");
}

TEST_F(NewOp, RefusesNamesThatAreNone) {
    for (const char* bad : {"2x", "a-b", "../x", "a/b", "_x", "'a b'", "é"})
        expect_one_line(run_program(std::string("new-op ") + bad + " --dir " + dir_.string()), "is not a name");
    expect_one_line(run_program("new-op " + std::string(65, 'a') + " --dir " + dir_.string()), "longer than 64");
    expect_one_line(run_program("new-op softmax --dir " + dir_.string()),
                    "softmax is an op already, on the page ops/softmax.cpp");
    EXPECT_TRUE(fs::is_empty(dir_));
}

TEST_F(NewOp, LeavesNothingWhereItCannotWrite) {
    std::ofstream(dir_ / "file") << "a file";
    expect_one_line(run_program("new-op swish --dir " + (dir_ / "file").string()), "cannot make the folder");
    expect_one_line(run_program("new-op swish --dir " + (dir_ / "file/below").string()), "cannot make the folder");
    expect_one_line(run_program("new-op swish --dir " + (dir_ / "made" / std::string(300, 'x')).string()),
                    "cannot make the folder");
    expect_one_line(run_program("new-op swish --dir /proc"), "cannot write");
    EXPECT_EQ(std::distance(fs::directory_iterator(dir_), {}), 1);
}

TEST_F(NewOp, NamesTheStructAfterTheOp) {
    EXPECT_EQ(run_program("new-op leaky_relu2 --dir " + (dir_ / "a/b").string()).status, 0);
    EXPECT_NE(read(dir_ / "a/b/leaky_relu2.cpp").find("\nstruct LeakyRelu2Op {\n"), std::string::npos);
    const std::string project = read(dir_ / "a/b/CMakeLists.txt");
    EXPECT_NE(project.find("gradproof_add_op(leaky_relu2 leaky_relu2.cpp)"), std::string::npos);
    EXPECT_EQ(std::count(project.begin(), project.end(), '\n'), 4);
}

}  // namespace
}  // namespace gradproof
