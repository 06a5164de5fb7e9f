// SPDX-License-Identifier: Apache-2.0

/// Starts the thread of a source: detached, and with signals blocked, so that the app's handlers run on its own threads.
/// Signals that report a fault of the thread itself stay open: blocked, they end the process without a word.
package enum WorkerThread {
    private final class Body {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs the closure on a new thread; the error says why there is none.
    ///
    /// - Parameter callsBack: Callbacks of the app run there: a write to a closed pipe, or a profiler, does what it does on
    ///   threads of Dispatch.
    package static func start(
        callsBack: Bool = false, _ run: @escaping @Sendable () -> Void
    ) throws(DeviceError) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        // A new thread inherits the mask of the one that makes it.
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
                .busy, "The system has no thread left for a sensor source. Raise the limit of tasks of this process.",
                cause: .system(call: "pthread_create", errno: result))
        }
    }

    /// Lets the thread rest when there is nothing it could wait on.
    package static func pause(seconds: Double) { poll(nil, 0, Int32(max(0, min(seconds * 1000, 60_000)))) }
}
