// Whole files: what cannot be read says so, and what cannot be written leaves the old file and nothing else.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <thread>

#include "gradproof/core/utf8.hpp"
#include "tests/core/io_support.hpp"
#include "tests/support.hpp"

namespace gradproof {
namespace {

using namespace testing;

std::string text_of(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

TEST(IoFile, WritesAndReadsBack) {
    const Folder folder;
    write_file_atomically(folder / "a", "one");
    EXPECT_EQ(text_of(read_file(folder / "a")), "one");
    write_file_atomically(folder / "a", "two, longer");
    EXPECT_EQ(text_of(read_file(folder / "a")), "two, longer");
    EXPECT_EQ(folder.names().size(), 1u);
}

TEST(IoFile, LongNamesCanBeWritten) {
    const Folder folder;
    const std::string name(255, 'n');
    write_file_atomically(folder / name, "x");
    EXPECT_EQ(folder.names(), std::vector<std::string>{name});
}

TEST(IoFile, WhatAKilledProcessLeftGoesAndWhatIsWrittenStays) {
    if (!locks_files()) GTEST_SKIP() << "built without POSIX files: none is locked";
    const Folder folder;
    for (int i = 0; i < 3000; ++i)
        std::ofstream(folder / fmt::format(".a.{}.{}.tmp", ::getpid(), i));  // its id may have been this one's
    for (const char* name : {".a.notes.tmp", ".b.1.0.tmp", ".a.2.0.tmp"}) std::ofstream(folder / name);
    const int live = ::open((folder / ".a.2.0.tmp").c_str(), O_RDONLY | O_CLOEXEC);
    ASSERT_EQ(::flock(live, LOCK_EX), 0);
    write_file_atomically(folder / "a", "x");
    std::vector<std::string> names = folder.names();
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, (std::vector<std::string>{".a.2.0.tmp", ".a.notes.tmp", ".b.1.0.tmp", "a"}));
    ::close(live);
    write_file_atomically(folder / "a", "y");
    EXPECT_FALSE(std::filesystem::exists(folder / ".a.2.0.tmp"));
}

TEST(IoFile, ANameInUseIsPassedOver) {
    if (!locks_files()) GTEST_SKIP() << "built without POSIX files: none is locked";
    const Folder folder;
    std::vector<int> live;
    for (int i = 0; i < 100; ++i) {
        live.push_back(
            ::open((folder / fmt::format(".a.{}.{}.tmp", ::getpid(), i)).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
        ASSERT_EQ(::flock(live.back(), LOCK_EX), 0);
    }
    write_file_atomically(folder / "a", "x");
    EXPECT_EQ(text_of(read_file(folder / "a")), "x");
    EXPECT_EQ(folder.names().size(), 101u);
    for (const int file : live) ::close(file);
}

TEST(IoFile, NamesWhatCannotBeRead) {
    const Folder folder;
    EXPECT_TRUE(contains(io_error_text([&] { read_file(folder / "absent"); }), "absent: cannot read: No such file"));
    EXPECT_TRUE(contains(io_error_text([&] { read_file(folder / ""); }), "it is a folder"));
    EXPECT_TRUE(contains(io_error_text([&] { read_file("/dev/zero"); }), "it is a device"));
    EXPECT_TRUE(contains(io_error_text([&] { read_file(""); }), "(empty path): cannot read"));
    write_file_atomically(folder / "empty", "");
    EXPECT_TRUE(contains(io_error_text([&] { read_file(folder / "empty"); }), "the file is empty"));
    EXPECT_TRUE(contains(io_error_text([&] { read_file(folder / "bad\nname\x01"); }), "bad\\x0aname\\x01"));
    if (::geteuid() == 0) return;  // root reads everything
    write_file_atomically(folder / "secret", "x");
    std::filesystem::permissions(folder / "secret", std::filesystem::perms::none);
    EXPECT_TRUE(contains(io_error_text([&] { read_file(folder / "secret"); }), "Permission denied"));
}

TEST(IoFile, NamesWhatCannotBeWritten) {
    const Folder folder;
    for (const auto& write :
         {std::function<void(const std::filesystem::path&)>([](const auto& p) { write_file_atomically(p, "x"); }),
          std::function<void(const std::filesystem::path&)>([](const auto& p) { expect_writable(p); })}) {
        EXPECT_TRUE(contains(io_error_text([&] { write(folder / "no/such/file"); }), "cannot write: No such file"));
        EXPECT_TRUE(contains(io_error_text([&] { write(folder / ""); }), "it is a folder"));
        EXPECT_TRUE(contains(io_error_text([&] { write(""); }), "names no file"));
    }
    std::filesystem::create_symlink("loop", folder / "loop");
    EXPECT_TRUE(contains(io_error_text([&] { write_file_atomically(folder / "loop", "x"); }), "symbolic links"));
    EXPECT_EQ(folder.names(), std::vector<std::string>{"loop"});
    if (::geteuid() == 0) return;  // root writes everywhere
    std::filesystem::create_directory(folder / "locked");
    std::filesystem::permissions(folder / "locked", std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    EXPECT_TRUE(contains(io_error_text([&] { write_file_atomically(folder / "locked/a", "x"); }), "Permission denied"));
    EXPECT_TRUE(contains(io_error_text([&] { expect_writable(folder / "locked/a"); }), "Permission denied"));
}

TEST(IoFile, KeepsTheOldFileWhenTheDiskIsFull) {
    const Folder folder;
    write_file_atomically(folder / "a", "old");
    // A limit on the size of files stands for the full disk: the write of a megabyte fails part of the way.
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit small = before;
    small.rlim_cur = 4096;
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const std::string error = io_error_text([&] { write_file_atomically(folder / "a", std::string(1 << 20, 'x')); });
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    EXPECT_TRUE(contains(error, "cannot write: File too large"));
    EXPECT_EQ(text_of(read_file(folder / "a")), "old");
    EXPECT_EQ(folder.names().size(), 1u);
}

TEST(IoFile, WritesDevicesDirectlyAndReportsTheirErrors) {
    EXPECT_TRUE(contains(io_error_text([] { write_file_atomically("/dev/full", "x"); }), "No space left on device"));
    write_file_atomically("/dev/null", "x");
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(IoFile, WritesIntoAPipeThatHasNoPath) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    for (const std::string start : {"/dev/fd/", "/proc/self/fd/"}) {
        expect_writable(start + std::to_string(ends[1]));
        write_file_atomically(start + std::to_string(ends[1]), "piped");
        char got[8] = {};
        EXPECT_EQ(::read(ends[0], got, sizeof got), 5);
        EXPECT_STREQ(got, "piped");
    }
    for (const int fd : ends) ::close(fd);
}

TEST(IoFile, FollowsLinksAndKeepsPermissions) {
    const Folder folder;
    write_file_atomically(folder / "real", "old");
    std::filesystem::permissions(folder / "real", std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    std::filesystem::create_symlink("real", folder / "link");
    write_file_atomically(folder / "link", "new");
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
    EXPECT_EQ(text_of(read_file(folder / "real")), "new");
    EXPECT_EQ(std::filesystem::status(folder / "real").permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST(IoFile, APipeWithoutAnotherEndIsNotWaitedForForEver) {
    if (!locks_files()) GTEST_SKIP() << "built without POSIX files: a pipe is opened like a file";
    const std::filesystem::path pipe = std::filesystem::temp_directory_path() / fmt::format("gradproof_pipe_{}", ::getpid());
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_NE(gradproof::testing::error_of([&] { read_file(pipe); }).find("cannot read: it is a pipe that nobody writes into"),
              std::string::npos);
    EXPECT_NE(gradproof::testing::error_of([&] { write_file_atomically(pipe, "x"); }).find("a pipe that nobody reads from"),
              std::string::npos);
    // Someone who comes late is waited for, and a writer may take its time.
    std::thread writer([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        std::ofstream out(pipe);
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        out << "abc" << std::flush;
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        out << "def";
    });
    EXPECT_EQ(read_text_file(pipe), "abcdef");
    writer.join();
    std::string got;
    std::thread reader([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        got = read_text_file(pipe);
    });
    write_file_atomically(pipe, std::string(200000, 'x'));
    reader.join();
    EXPECT_EQ(got, std::string(200000, 'x'));
    std::filesystem::remove(pipe);
}

TEST(IoFile, PrintableEscapesWhatATerminalWouldNotShow) {
    EXPECT_EQ(printable("a\nb\x1b[0m"), "a\\x0ab\\x1b[0m");
    EXPECT_EQ(printable("\xff\xc3\xa9"), "\\xff\xc3\xa9");
    EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");
    EXPECT_EQ(printable("abcdef", 3), "abc...");
    EXPECT_EQ(printable("a\xc2\x9b\x32J\xe2\x80\xae"), "a\\u{9b}2J\\u{202e}");
    const std::string message = "unknown name " + std::string(100000, 'a') + ", expected another";
    EXPECT_TRUE(printable(message, 400).ends_with("aaa, expected another"));
    EXPECT_EQ(printable(message, 400).size(), 403U);
    EXPECT_TRUE(utf8::is_text(printable("x" + std::string(1000, 'a') + std::string(50, '\xc3') + "\xa9", 400)));
}

}  // namespace
}  // namespace gradproof
