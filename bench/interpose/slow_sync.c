/* Makes a disk slow: loaded before a program, it lets every sync take so many milliseconds longer,
 * and a further one for each megabyte since the last, as SLOW_SYNC_MS and SLOW_SYNC_MS_PER_MB say. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static atomic_ulong written;

static long setting(const char *name) {
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

static void wait_for_the_disk(void) {
    unsigned long megabytes = atomic_exchange(&written, 0) >> 20;
    long milliseconds = setting("SLOW_SYNC_MS") + (long)megabytes * setting("SLOW_SYNC_MS_PER_MB");
    struct timespec left = {milliseconds / 1000, (milliseconds % 1000) * 1000000};
    while (nanosleep(&left, &left) != 0) {
    }
}

ssize_t write(int fd, const void *bytes, size_t count) {
    static ssize_t (*next)(int, const void *, size_t);
    if (!next) {
        next = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    }
    ssize_t done = next(fd, bytes, count);
    if (done > 0) {
        atomic_fetch_add(&written, (unsigned long)done);
    }
    return done;
}

int fsync(int fd) {
    static int (*next)(int);
    if (!next) {
        next = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    }
    wait_for_the_disk();
    return next(fd);
}

int fdatasync(int fd) {
    static int (*next)(int);
    if (!next) {
        next = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    }
    wait_for_the_disk();
    return next(fd);
}
