// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

// Swift's Mutex waits in its library, which the thread sanitizer does not instrument, so data protected by a mutex
// would appear unprotected. These functions replace the three functions that enter the kernel, and notify the
// sanitizer.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

SWIFT void lock_slow(uint32_t thread, SELF void *self) __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
SWIFT void unlock_slow(SELF void *self) __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
SWIFT bool try_lock_slow(SELF void *self) __asm__("$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF");

static void *original(const char *name) { return dlsym(RTLD_NEXT, name); }

SWIFT void lock_slow(uint32_t thread, SELF void *self) {
    static SWIFT void (*lock)(uint32_t, SELF void *);
    if (!lock) lock = original("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
    lock(thread, self);
    __tsan_acquire(self);
}

SWIFT void unlock_slow(SELF void *self) {
    static SWIFT void (*unlock)(SELF void *);
    if (!unlock) unlock = original("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
    __tsan_release(self);
    unlock(self);
}

SWIFT bool try_lock_slow(SELF void *self) {
    static SWIFT bool (*try_lock)(SELF void *);
    if (!try_lock) try_lock = original("$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF");
    bool is_locked = try_lock(self);
    if (is_locked) __tsan_acquire(self);
    return is_locked;
}
