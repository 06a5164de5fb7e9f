// SPDX-License-Identifier: Apache-2.0

/// Starts detached threads for sources.
///
/// The threads block signals, so that the app's signal handlers run on the app's own threads. Signals that report a
/// fault, such as SIGSEGV, stay unblocked. If they were blocked, a fault would terminate the process without calling a
/// handler.
package enum WorkerThread {
    /// A function that creates a thread. Tests replace it with one that fails.
    package typealias Spawn = @Sendable (_ body: @escaping @Sendable () -> Void) throws(DeviceError) -> Void

    private final class Body {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// - Parameter callsBack: True if the thread runs the app's callbacks. SIGPIPE and SIGPROF then stay unblocked, as
    ///   on Dispatch threads, so that broken pipes and profiling are handled as usual.
    package static func start(callsBack: Bool = false, _ run: @escaping @Sendable () -> Void) throws(DeviceError) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        // The new thread inherits the signal mask of its creator.
        var all = sigset_t()
        var former = sigset_t()
        sigfillset(&all)
        for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS] { sigdelset(&all, fault) }
        if callsBack { for signal in [SIGPIPE, SIGPROF] { sigdelset(&all, signal) } }
        pthread_sigmask(SIG_SETMASK, &all, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        let body = Unmanaged.passRetained(Body(run: run))
        var thread = pthread_t()
        let result = pthread_create(
            &thread, &attributes,
            { context in
                if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, body.toOpaque())
        guard result == 0 else {
            body.release()
            throw DeviceError(
                .busy, "The system cannot create a thread for a sensor source. Raise the task limit of this process.",
                cause: .system(call: "pthread_create", errno: result))
        }
    }

    /// Suspends the thread for at most 60 s.
    package static func sleep(seconds: Double) { poll(nil, 0, Int32(max(0, min(seconds * 1000, 60_000)))) }
}

/// A semaphore whose timeouts use CLOCK_MONOTONIC. Dispatch on Linux uses the system clock for timeouts, so a wait
/// takes longer if that clock is set back. `@unchecked Sendable` because the mutex protects all state.
package final class BinarySemaphore: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isSignaled = false

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

    /// Ends the current wait or, if no thread is waiting, the next wait.
    package func signal() {
        pthread_mutex_lock(mutex)
        isSignaled = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Waits until `signal()` is called or the given number of seconds has passed. Returns true if `signal()` was
    /// called.
    @discardableResult package func wait(seconds: Double) -> Bool {
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
