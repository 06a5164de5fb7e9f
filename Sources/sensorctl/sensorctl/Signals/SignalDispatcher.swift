// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import SystemCalls

/// Delivers signals to handlers on a separate thread. Dispatch sources are not used, because a signal must be ignored
/// before a source for it is created. If the creation failed, the signal would no longer end the process.
final class SignalDispatcher: Sendable {
    struct ReceivedSignal: Sendable {
        var number: Int32
        /// True if the kernel sent the signal because a key was pressed or the terminal hung up.
        var isFromTerminal: Bool
    }

    /// The shared instance, or nil if no descriptor or thread is available. Without an instance, signals keep their
    /// default actions.
    static let shared = SignalDispatcher()

    static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2]

    /// The signals that were ignored at startup, for example due to `nohup` or `&` in a script.
    static let ignoredAtStart: Set<Int32> = Set(
        numbers.filter { number in
            var action = sigaction()
            sigaction(number, nil, &action)
            #if canImport(Musl)
            let handler = action.__sa_handler.sa_handler
            #else
            let handler = action.__sigaction_handler.sa_handler
            #endif
            return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
        })

    /// The descriptor to which the C signal handlers write. It is static because C functions cannot capture values. It
    /// is set before the first handler is installed and is never closed.
    private static let writeEnd = Atomic<Int32>(-1)

    private struct State {
        var handlers: [Int: (numbers: [Int32], handler: @Sendable (ReceivedSignal) -> Void)] = [:]
        var count = 0
        var handled: Set<Int32> = []
    }

    private let state = Mutex(State())
    private let readEnd: Int32

    private init?() {
        // This lazy property must be evaluated before any handler is installed.
        _ = Self.ignoredAtStart
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            return nil
        }
        readEnd = ends[0]
        Self.writeEnd.store(ends[1], ordering: .sequentiallyConsistent)
        do throws(DeviceError) { try WorkerThread.start { [self] in run() } } catch {
            close(ends[0])
            close(ends[1])
            return nil
        }
    }

    /// Delivers signals to the handler until the returned object is released. After that, the signals are ignored.
    func register(_ numbers: [Int32], handler: @escaping @Sendable (ReceivedSignal) -> Void) -> Registration {
        state.withLock { state in
            state.count += 1
            state.handlers[state.count] = (numbers, handler)
            for number in numbers where state.handled.insert(number).inserted { Self.handle(number) }
            return Registration(number: state.count, dispatcher: self)
        }
    }

    final class Registration: Sendable {
        private let number: Int
        private let dispatcher: SignalDispatcher

        fileprivate init(number: Int, dispatcher: SignalDispatcher) {
            (self.number, self.dispatcher) = (number, dispatcher)
        }

        deinit {
            // Removes the handler inside the lock, but releases it and its captures outside the lock.
            let registration = dispatcher.state.withLock { $0.handlers.removeValue(forKey: number) }
            withExtendedLifetime(registration) {}
        }
    }

    private static func handle(_ number: Int32) {
        let handler: @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void = {
            number, information, _ in
            let saved = errno
            // 0x80 is SI_KERNEL.
            let isFromTerminal = information?.pointee.si_code == 0x80
            var byte = UInt8(truncatingIfNeeded: number) | (isFromTerminal ? 0x80 : 0)
            _ = send(SignalDispatcher.writeEnd.load(ordering: .relaxed), &byte, 1, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            errno = saved
        }
        var action = sigaction()
        #if canImport(Musl)
        action.__sa_handler.sa_sigaction = handler
        #else
        action.__sigaction_handler.sa_sigaction = handler
        #endif
        action.sa_flags = Int32(SA_SIGINFO) | Int32(SA_RESTART)
        // Blocks other signals while a handler runs, so that a second signal cannot interrupt the handler and be
        // delivered first.
        sigfillset(&action.sa_mask)
        sigaction(number, &action, nil)
    }

    /// Unblocks the signals on the first thread, in case the parent process blocked them. They stay blocked on all
    /// other threads, so only one signal handler runs at a time.
    static func unblockOnFirstThread() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in numbers { sigaddset(&signals, number) }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    private func run() {
        var byte: UInt8 = 0
        while true {
            let count = recv(readEnd, &byte, 1, 0)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return }
            let arrival = ReceivedSignal(number: Int32(byte & 0x7F), isFromTerminal: byte & 0x80 != 0)
            let registrations = state.withLock { state in
                state.handlers.filter { $0.value.numbers.contains(arrival.number) }.sorted { $0.key < $1.key }
            }
            for registration in registrations { registration.value.handler(arrival) }
        }
    }
}
