// SPDX-License-Identifier: Apache-2.0

/// Wakes a thread that waits with a timeout.
///
/// Timeouts use CLOCK_MONOTONIC. The timeouts of Dispatch on Linux use the system clock and become longer when it is
/// set back. `@unchecked Sendable` because all state is protected by the mutex.
package final class BinarySemaphore: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isSignaled = false

    /// Creates an unsignaled instance.
    package init() {
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Ends the current wait, or the next one if no thread waits.
    package func signal() {
        pthread_mutex_lock(mutex)
        isSignaled = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Waits until `signal()` is called or the time, in seconds, has passed. Returns true if `signal()` was called.
    @discardableResult
    package func wait(seconds: Double) -> Bool {
        var end = timespec()
        clock_gettime(CLOCK_MONOTONIC, &end)
        let nanoseconds = Int64(max(0, min(seconds, 86_400)) * 1e9) + Int64(end.tv_nsec)
        end.tv_sec += time_t(nanoseconds / 1_000_000_000)
        end.tv_nsec = Int(nanoseconds % 1_000_000_000)
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !isSignaled { if pthread_cond_timedwait(condition, mutex, &end) == ETIMEDOUT { break } }
        defer { isSignaled = false }
        return isSignaled
    }
}
