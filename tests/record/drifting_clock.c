/* A host's clocks, for tests: UTC is off by LONGPOLE_TEST_AHEAD_NS, and both UTC and the monotonic clock gain
   LONGPOLE_TEST_DRIFT_PPM since LONGPOLE_TEST_SINCE_NS of the real monotonic clock. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long long number(const char *name) {
    const char *text = getenv(name);
    return text ? atoll(text) : 0;
}

static long long gained(void) {
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    long long passed = now.tv_sec * 1000000000LL + now.tv_nsec - number("LONGPOLE_TEST_SINCE_NS");
    return passed * number("LONGPOLE_TEST_DRIFT_PPM") / 1000000;
}

int clock_gettime(clockid_t clock, struct timespec *result) {
    int failed = syscall(SYS_clock_gettime, clock, result);
    if (failed || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)) return failed;
    long long ns = result->tv_sec * 1000000000LL + result->tv_nsec + gained();
    if (clock == CLOCK_REALTIME) ns += number("LONGPOLE_TEST_AHEAD_NS");
    result->tv_sec = ns / 1000000000;
    result->tv_nsec = ns % 1000000000;
    return 0;
}
