// check --run: Python started, waited for and ended, and programs that do what they should not.
#include <fmt/format.h>

#include "tests/paths.hpp"
#include "tests/tools/folder.hpp"

namespace gradproof::testing {
namespace {

class RunProgram : public InAFolder {
  protected:
    void write(const std::string& name, const std::string& text) const { std::ofstream(dir_ / name, std::ios::binary) << text; }
    ProgramRun run(const std::string& arguments) const { return run_program(arguments, dir_.string()); }
    /// A program with these lines in front of its own.
    ProgramRun with(const std::string& lines, const std::string& options = "") const {
        write("a.py",
              "# gradproof: dims n; input x [n]\n" + lines + "y = 3 * x\nloss = (y ** 2).sum()\ndy = 2 * y\ndx = 3 * dy\n");
        return run("check a.py --run --python '" + python() + "' " + options);
    }
    /// Python in name only.
    std::string stand_in(const std::string& script) const {
        write("stand_in", "#!/bin/sh\n" + script + "\n");
        std::filesystem::permissions(dir_ / "stand_in", std::filesystem::perms::all);
        write("a.py", "# gradproof: dims n; input x [n]\ny = 3 * x\nloss = (y ** 2).sum()\ndy = 2 * y\n");
        return "check a.py --run --python ./stand_in ";
    }
};
/// Those that need NumPy.
class RunHostile : public RunProgram {
  protected:
    void SetUp() override {
        RunProgram::SetUp();
        if (const std::string why = without_module("numpy"); !why.empty()) GTEST_SKIP() << why;
    }
};

void expect_said(const ProgramRun& r, int status, const std::string& part) {
    EXPECT_EQ(r.status, status) << r.text;
    EXPECT_NE(r.text.find(part), std::string::npos) << r.text;
}

TEST_F(RunProgram, GoesWithProgramsAndDerivations) {
    expect_one_line(run("check --proof attention --run"), "attention.proof: --run goes with programs, and it holds none");
    expect_one_line(run("check --op softmax --run"), "check: --run goes with derivations, not with ops");
    expect_one_line(run("check --proof attention --python python3"), "check: --python goes with --run");
    expect_one_line(run(stand_in("exit 0") + "--time-limit nan"), "--time-limit");
    expect_one_line(run(stand_in("exit 0") + "--time-limit -1"), "--time-limit");
}

TEST_F(RunProgram, AnInterpreterThatIsNoneIsTold) {
    stand_in("exit 0");
    expect_one_line(run("check a.py --run --python ./none"), "--run: cannot start ./none: No such file or directory");
    expect_one_line(run("check a.py --run --python ."), "--run: cannot start .: ");
    expect_one_line(run(stand_in("exit 7")), "a.py: --run: Python ended with exit status 7 and no answer");
    expect_one_line(run(stand_in("kill -9 $$")), "a.py: --run: it ended Python by signal Killed");
    expect_one_line(run(stand_in("echo '[1]' >&3")), "a.py: the program that is run gave no answer that can be read");
    expect_one_line(run(stand_in("sleep 60") + "--time-limit 0.2"), "a.py: --run: it runs for more than 0.2 s (--time-limit)");
}

TEST_F(RunProgram, WhatItPrintsIsNotShown) {
    const ProgramRun r = run(stand_in("echo here; echo there >&2; cat; exit 1"));
    EXPECT_EQ(r.text.find("here"), r.text.npos) << r.text;
}

TEST_F(RunProgram, NothingIsStartedWithoutIt) {
    stand_in("touch started");
    EXPECT_EQ(run("check a.py").status, 0);
    EXPECT_FALSE(std::filesystem::exists(dir_ / "started"));
}

TEST_F(RunHostile, AProgramThatEndsIsTold) {
    expect_said(with(""), 0, "  run in Python 3.");
    expect_said(with("import sys\nsys.exit(3)\n"), 1, "the program is not run: line 3: SystemExit: 3");
    expect_said(with("import none_of_this_name\n"), 3, "ModuleNotFoundError: No module named 'none_of_this_name'");
    expect_said(with("raise KeyboardInterrupt\n"), 1, "KeyboardInterrupt");
    expect_said(with("def f(v):\n    return f(v)\nv = f(1)\n"), 1, "RecursionError");
    expect_one_line(with("import os\nos._exit(0)\n"), "a.py: --run: Python ended with exit status 0 and no answer");
    expect_one_line(with("import os\nos.kill(os.getpid(), 11)\n"), "a.py: --run: it ended Python by signal Segmentation fault");
    expect_one_line(with("while True:\n    pass\n", "--time-limit 2"), "a.py: --run: it runs for more than 2 s");
}

TEST_F(RunHostile, AProgramThatTouchesTheRunnerIsTold) {
    expect_one_line(with("import os\nos.close(3)\n"), "no answer");
    expect_one_line(with("import os\nos.write(3, b'[]')\n"), "no answer");
    expect_said(with("__gradproof__ = None\n"), 3, "not compared with a run");
    expect_said(with("import sys\nsys.modules.clear()\n"), 1, "not compared with a run");
}

TEST_F(RunHostile, WhatItStartedEndsWithIt) {
    with(
        "import os, subprocess\nsleeping = subprocess.Popen(['sh', '-c', 'echo $$ > pid; exec sleep 600'])\nsleeping.poll()\n"
        "while not (os.path.exists('pid') and open('pid').read()):\n    pass\n");
    const std::string pid = read(dir_ / "pid");
    ASSERT_FALSE(pid.empty());
    for (int i = 0; i < 100 && std::filesystem::exists("/proc/" + pid); ++i) ::usleep(20000);
    const std::string state = read("/proc/" + pid + "/stat");
    EXPECT_TRUE(state.empty() || state.find(") Z") != std::string::npos) << state;
}

/// Where no loss is stated one is added, of a value that lines behind it do not use.
TEST_F(RunHostile, ALossThatWasAddedIsNoLineOfTheProgram) {
    write("a.py",
          "import numpy as np\n# gradproof: dims n d; input x [n, d]; input g [d]\ndef f(x, g):\n    out = g * x\n    y = x * 2\n"
          "    return out, (x, g)\ndef b(dout, cache):\n    x, g = cache\n    dx = dout * g\n    return dx\n");
    expect_said(run("check a.py --run --python '" + python() + "'"), 0,
                "2 lines of the forward and 1 of gradients compute what was read");
}

TEST_F(RunHostile, OneOfSeveralFilesIsToldAndTheOthersAreChecked) {
    write("b.py", "# gradproof: dims n; input x [n]\nimport os\nos._exit(0)\ny = 3 * x\nloss = (y ** 2).sum()\ndy = 2 * y\n");
    with("");
    const ProgramRun r = run("check b.py a.py --run --python '" + python() + "'");
    expect_said(r, 2, "a.py      5 draws");
    EXPECT_NE(r.text.find("gradproof: b.py: --run: "), r.text.npos) << r.text;
}

TEST_F(RunHostile, CellsOfANotebookAndBlocksOfMarkdownAreRun) {
    const std::string lines = "y = 3 * x\\nloss = (y ** 2).sum()\\ndy = 2 * y\\ndx = 3 * dy\\n";
    write("a.ipynb", R"({"nbformat": 4, "cells": [
        {"cell_type": "markdown", "source": "text"},
        {"cell_type": "code", "source": "%matplotlib inline\nimport numpy as np"},
        {"cell_type": "code", "source": "# gradproof: dims n; input x [n]\nx = np.ones(3)\n)" +
                         lines + R"("}]})");
    expect_said(run("check a.ipynb --run --python '" + python() + "'"), 0,
                "2 lines of the forward and 2 of gradients compute what was read");
    write("a.md",
          "# Text\n```python proof\n# gradproof: dims n; input x [n]\ny = 3 * x\nloss = (y ** 2).sum()\ndy = 2 * y\n```\n");
    expect_said(run("check a.md --run --python '" + python() + "'"), 0,
                "2 lines of the forward and 1 of gradients compute what was read");
    const std::string block =
        "```python proof\n# gradproof: dims n; input {0} [n]\nloss = ({0} ** 2).sum()\nd{0} = 2 * {0}\n```\n";
    write("two.md", fmt::format(fmt::runtime(block), "x") + "Another.\n" + fmt::format(fmt::runtime(block), "v"));
    expect_said(run("check two.md --run --python '" + python() + "'"), 0, "all right: 2\n");
}

}  // namespace
}  // namespace gradproof::testing
