// What users type, as messages show it: no control character, no forged line, no bytes that are not UTF-8, nothing endless.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "gradproof/core/utf8.hpp"
#include "tests/tools/folder.hpp"

namespace gradproof::testing {
namespace {

class HostileText : public InAFolder {
  protected:
    void SetUp() override {
        InAFolder::SetUp();
        write("a.proof", "input X = 2\nforward\n Y = X + 1\nexpect\n Y = 3\n");
    }
    void write(const std::string& name, const std::string& text) const { std::ofstream(dir_ / name, std::ios::binary) << text; }

    /// Runs the command with each hostile word in the place of WORD.
    void expect_shown(const std::string& command) const {
        for (const std::string& word :
             {std::string("\x1b[31mX\nall right: 99\n"), std::string("\r\x1b]0;t\x07\xe2\x80\xae"), std::string("\xff\xfe\xc3"),
              std::string(100000, 'a'), std::string(200, '\x01') + "\xf0\x9f\x98\x80"}) {
            std::string line = command;
            line.replace(line.find("WORD"), 4, word);
            const ProgramRun r = run_program(line, dir_.string());
            expect_clean(r.text, command);
            EXPECT_TRUE(r.status >= 0 && r.status <= 3) << command << " ends with " << r.status << ": " << r.text.substr(0, 300);
        }
    }
    static void expect_clean(const std::string& text, const std::string& command) {
        EXPECT_TRUE(utf8::is_text(text)) << command;
        EXPECT_TRUE(std::none_of(text.begin(), text.end(), [](char c) { return (c >= 0 && c < ' ' && c != '\n') || c == 0x7F; }))
            << command << " prints " << text.substr(0, 300);
        EXPECT_EQ(("\n" + text).find("\nall right: 99"), std::string::npos) << command;
        EXPECT_LT(text.size(), 6000U) << command;
        for (const char* inside : {"\xe2\x80\xae", "json.exception", "terminate", "filesystem error"})
            EXPECT_EQ(text.find(inside), std::string::npos) << command << " prints " << text.substr(0, 300);
    }
};

TEST_F(HostileText, OnTheCommandLineIsEscapedAndShortened) {
    int number = 0;
    for (const char* command : {"'WORD'",
                                "check 'WORD'",
                                "check --json 'WORD'",
                                "check 'WORD.proof'",
                                "check --proof 'WORD'",
                                "check --op 'WORD'",
                                "check --plugin 'WORD'",
                                "check '--WORD'",
                                "check a.proof --seed 'WORD'",
                                "check a.proof --kernel 'WORD'",
                                "check a.proof --bind 'WORD'",
                                "check a.proof --bind 'WORD=x.npy'",
                                "check a.proof --bind 'X=WORD.npy'",
                                "compare 'WORD'",
                                "compare --expect 'WORD.npz' --proof attention",
                                "compare --json --expect a.npz 'WORD.proof'",
                                "exercise show 'WORD'",
                                "exercise check 1 'WORD'",
                                "exercise check --json 1 'WORD'",
                                "exercise check 'WORD' x",
                                "exercise hint 1 'WORD'",
                                "explain 'WORD.proof'",
                                "explain a.proof --cell 'WORD'",
                                "explain --json --proof 'WORD'",
                                "train --lr 'WORD'",
                                "train --task 'WORD'",
                                "train --optimiser 'WORD'",
                                "train --resume 'WORD'",
                                "generate --checkpoint 'WORD' --prompt x",
                                "ops 'WORD'",
                                "replay 'WORD.proof'",
                                "help 'WORD'",
                                "new-op 'WORD'",
                                "experiment 'WORD'"})
        if (!testing::kSanitized || number++ % 3 == 0) expect_shown(command);
}

TEST_F(HostileText, InNamesOfFilesIsEscapedInReports) {
    const std::string proof = read(dir_ / "a.proof");
    for (const std::string name : {"\x1b[31mX\nall right: 99\n.proof", "\xff\xfe.proof"}) {
        write(name, proof);
        write(name + ".md", "```proof\n" + proof + "\n Y = 4\n");
        for (const std::string command :
             {"check", "check --json", "check --only-wrong", "explain", "explain --json", "derive", "derive --json", "replay"})
            for (const char* extension : {"", ".md"}) {
                const ProgramRun r = run_program(command + " '" + name + extension + "'", dir_.string());
                expect_clean(r.text, command);
                EXPECT_TRUE(!r.text.starts_with("{") || json_lines(r.text).size() == 1);
            }
        EXPECT_EQ(run_program("new-op mine --dir '" + name + ".d'", dir_.string()).status, 0);
        expect_clean(run_program("new-op ours --dir '" + name + ".d'", dir_.string()).text, "new-op");
    }
    EXPECT_EQ(json_lines(run_program("check --json '\x1b[31mX\nall right: 99\n.proof'", dir_.string()).text).at(0).at("file"),
              "\x1b[31mX\nall right: 99\n.proof");
}

TEST_F(HostileText, InDerivationsIsEscapedInReports) {
    write("text.proof",
          "title \"\x1b[31mred\"\ninput X = 2\nforward\n Y = X\nexpect\n skip \"\x1b[1mwhy\"\n y \x1b\x63\r\n Y = 3\n");
    write("name.proof", "input X = 2\nforward\n Y = X\nexpect\n Y = " + std::string(100000, 'a') + "\n");
    write("caret.proof", "input X = 2\nforward\n Y = X \xe2\x80\xae\xc2\x9b\n");
    for (const std::string command : {"check", "check --json", "explain", "explain --json", "derive", "derive --json", "replay"})
        for (const char* file : {" text.proof", " name.proof", " caret.proof"})
            expect_clean(run_program(command + file, dir_.string()).text, command + file);
    EXPECT_NE(run_program("check text.proof", dir_.string()).text.find("text.proof: \\x1b[31mred  "), std::string::npos);
}

TEST_F(HostileText, InTheEnvironmentIsEscaped) {
    for (const char* variable : {"GRADPROOF_ARCH", "OPENBLAS_NUM_THREADS", "NO_COLOR", "TERM"})
        for (const char* value : {"\x1b[31mX\nall right: 99", "\xff\xfe"}) {
            ::setenv(variable, value, 1);
            const ProgramRun r = run_program("check a.proof", dir_.string());
            ::unsetenv(variable);
            expect_clean(r.text, variable);
        }
}

}  // namespace
}  // namespace gradproof::testing
