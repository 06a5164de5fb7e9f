// SPDX-License-Identifier: Apache-2.0

/// Wakes a thread that waits for a deadline.
///
/// By the monotonic clock: the waits of Dispatch on Linux go by the system clock, and grow when that is set back.
/// Unchecked: the state is used under the mutex only.
package final class Bell: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isRung = false

    /// A bell that nobody has rung.
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

    /// Ends the wait that is running, or the next one.
    package func ring() {
        pthread_mutex_lock(mutex)
        isRung = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Waits that long or until somebody rings; true for the latter.
    @discardableResult
    package func wait(seconds: Double) -> Bool {
        var end = timespec()
        clock_gettime(CLOCK_MONOTONIC, &end)
        let nanoseconds = Int64(max(0, min(seconds, 86_400)) * 1e9) + Int64(end.tv_nsec)
        end.tv_sec += time_t(nanoseconds / 1_000_000_000)
        end.tv_nsec = Int(nanoseconds % 1_000_000_000)
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !isRung { if pthread_cond_timedwait(condition, mutex, &end) == ETIMEDOUT { break } }
        defer { isRung = false }
        return isRung
    }
}
