/* This source file is part of the swift-device-services project.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Preloaded into a program with LD_PRELOAD: shifts its civil time by the seconds in the file ENDURE_CLOCK, an int64 that
 * may change at any time, as if the machine's clock was set. Deadlines in civil time are shifted back, because the kernel's
 * clock is not changed. Also reports the heap in use.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *moved;

__attribute__((constructor)) static void open_clock(void) {
    const char *path = getenv("ENDURE_CLOCK");
    int descriptor = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (descriptor < 0) return;
    void *page = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (page != MAP_FAILED) moved = page;
}

static int64_t offset(void) { return moved ? *moved : 0; }

size_t endure_heap_in_use(void) {
    struct mallinfo2 all = mallinfo2();
    return all.uordblks + all.hblkhd;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*next)(clockid_t, struct timespec *);
    if (!next) next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = next ? next(clock, now) : (int)syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += offset();
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec time;
    (void)zone;
    int result = clock_gettime(CLOCK_REALTIME, &time);
    if (result == 0) *now = (struct timeval){time.tv_sec, time.tv_nsec / 1000};
    return result;
}

time_t time(time_t *now) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    if (now) *now = time.tv_sec;
    return time.tv_sec;
}

/* Converts the caller's civil time to the machine's clock. Conditions may use another clock, whose times differ greatly
 * from civil time and are not converted. */
static const struct timespec *real(const struct timespec *time, struct timespec *copy) {
    struct timespec now;
    if (!time || offset() == 0) return time;
    clock_gettime(CLOCK_REALTIME, &now);
    if (llabs((long long)time->tv_sec - now.tv_sec) > 366LL * 86400) return time;
    *copy = *time;
    copy->tv_sec -= offset();
    return copy;
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict limit) {
    static int (*next)(sem_t *, const struct timespec *);
    struct timespec copy;
    if (!next) next = (int (*)(sem_t *, const struct timespec *))dlsym(RTLD_NEXT, "sem_timedwait");
    return next(semaphore, real(limit, &copy));
}

int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict limit) {
    static int (*next)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
    struct timespec copy;
    if (!next)
        next = (int (*)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *))dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    return next(condition, mutex, real(limit, &copy));
}
