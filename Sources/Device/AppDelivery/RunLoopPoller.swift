// SPDX-License-Identifier: Apache-2.0

import CoreFoundation
import DeviceCore
import Foundation

/// Lets a run loop poll a set of descriptors itself, so that no other thread has to wake the run loop.
///
/// The set is added to the run loop as a version 1 source. On Linux, such a source's "port" is a file descriptor. When
/// the port becomes readable, the run loop reads eight bytes from it. If the port is an epoll descriptor, this read
/// fails and consumes nothing.
enum RunLoopPoller {
    private final class Reader {
        let set: EpollSet
        let callbacks: DeferredCallbacks
        let read: @Sendable () -> Void

        init(_ set: EpollSet, _ executor: any CallbackExecutor, _ read: @escaping @Sendable () -> Void) {
            self.set = set
            callbacks = DeferredCallbacks(for: executor)
            self.read = read
        }

        /// Called only on the run loop's thread.
        func perform() { callbacks.run(after: read) { run in run() } }
    }

    // `@unchecked Sendable` because any thread may invalidate a source or wake a run loop.
    private struct Source: @unchecked Sendable {
        let value: CFRunLoopSource
        let loop: CFRunLoop
    }

    /// Polls the set until the subscription ends. Returns nil if Core Foundation cannot create the source.
    static func start(
        loop: CFRunLoop, mode: CFRunLoopMode?, set: EpollSet, executor: any CallbackExecutor,
        read: @escaping @Sendable () -> Void
    ) -> Subscription? {
        var context = CFRunLoopSourceContext1()
        context.version = 1
        let reader = Reader(set, executor, read)
        context.info = Unmanaged.passUnretained(reader).toOpaque()
        context.retain = { info in
            guard let info else { return nil }
            return UnsafeRawPointer(Unmanaged<Reader>.fromOpaque(info).retain().toOpaque())
        }
        context.release = { info in if let info { Unmanaged<Reader>.fromOpaque(info).release() } }
        context.getPort = { info in
            guard let info else { return -1 }
            return Unmanaged<Reader>.fromOpaque(info).takeUnretainedValue().set.descriptor
        }
        context.perform = { info in
            if let info { Unmanaged<Reader>.fromOpaque(info).takeUnretainedValue().perform() }
        }
        let runLoopSource = withExtendedLifetime(reader) {
            withUnsafeMutablePointer(to: &context) { context in
                context.withMemoryRebound(to: CFRunLoopSourceContext.self, capacity: 1) {
                    CFRunLoopSourceCreate(nil, 0, $0)
                }
            }
        }
        guard let runLoopSource else { return nil }
        CFRunLoopAddSource(loop, runLoopSource, mode)
        let source = Source(value: runLoopSource, loop: loop)
        return Subscription {
            CFRunLoopSourceInvalidate(source.value)
            // A run loop with no sources left returns from `run()`, but must first be woken if it is sleeping.
            CFRunLoopWakeUp(source.loop)
        }
    }
}
