// What must be known before the libraries of the program start: OpenBLAS starts its threads as it is loaded, and where they are
// not to be had it prints lines of its own and ends the process.
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <cstring>

namespace {

constexpr int kMostThreads = 256;
constexpr char kOneThread[] = "OPENBLAS_NUM_THREADS=1";

void* wait_for_all(void* held) {
    auto* const mutex = static_cast<pthread_mutex_t*>(held);
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    return nullptr;
}

/// Whether a thread for each processor can be started.
bool threads_can_be_had() {
    cpu_set_t mine;
    if (sched_getaffinity(0, sizeof mine, &mine) != 0) return true;
    pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
    std::array<pthread_t, kMostThreads> started;
    const int wanted = CPU_COUNT(&mine) < kMostThreads ? CPU_COUNT(&mine) : kMostThreads;
    int n = 0;
    pthread_mutex_lock(&held);
    while (n < wanted && pthread_create(&started[static_cast<unsigned>(n)], nullptr, wait_for_all, &held) == 0) ++n;
    pthread_mutex_unlock(&held);
    for (int i = 0; i < n; ++i) pthread_join(started[static_cast<unsigned>(i)], nullptr);
    return n == wanted;
}

/// The program again, with OpenBLAS told to start no thread. Returns where it cannot.
void start_again(char** arguments, char** environment) {
    std::array<char*, 4096> changed{};
    std::size_t n = 0;
    for (char** entry = environment; *entry != nullptr; ++entry) {
        if (std::strcmp(*entry, kOneThread) == 0 || n + 2 == changed.size()) return;
        if (std::strncmp(*entry, kOneThread, std::strlen("OPENBLAS_NUM_THREADS=")) != 0) changed[n++] = *entry;
    }
    changed[n] = const_cast<char*>(kOneThread);
    execve("/proc/self/exe", arguments, changed.data());
}

[[maybe_unused]] void before_libraries(int, char** arguments, char** environment) {
    if (!threads_can_be_had()) start_again(arguments, environment);
}

}  // namespace

// Sanitizers start here too, and this must not run before they have.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define GRADPROOF_SANITIZER_STARTS
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GRADPROOF_SANITIZER_STARTS
#endif
#ifndef GRADPROOF_SANITIZER_STARTS
__attribute__((section(".preinit_array"), used)) void (*const gradproof_before_libraries)(int, char**, char**) = before_libraries;
#endif
