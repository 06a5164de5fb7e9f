// SPDX-License-Identifier: Apache-2.0

/// Starts the threads of sources. The threads are detached and block signals, so that the app's signal handlers run on
/// the app's own threads. Signals that report a fault of the thread itself stay unblocked: if blocked, they end the
/// process without running a handler.
package enum WorkerThread {
    private final class Body {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs the closure on a new thread. Throws an error if the system cannot create one.
    ///
    /// - Parameter callsBack: True if callbacks of the app run on the thread. SIGPIPE and SIGPROF then stay unblocked,
    ///   so that a write to a closed pipe and a profiler behave as on Dispatch threads.
    package static func start(
        callsBack: Bool = false, _ run: @escaping @Sendable () -> Void
    ) throws(DeviceError) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        // A new thread inherits the signal mask of its creator.
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

    /// Suspends the thread for at most 60 s. For threads that have no descriptor to wait on.
    package static func sleep(seconds: Double) { poll(nil, 0, Int32(max(0, min(seconds * 1000, 60_000)))) }
}
