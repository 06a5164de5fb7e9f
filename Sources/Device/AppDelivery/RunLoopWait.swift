// SPDX-License-Identifier: Apache-2.0

import CoreFoundation
import DeviceCore
import Foundation

/// A run loop that waits for a set of descriptors: one thread less is woken than by a source that is signalled.
///
/// On Linux a run loop waits for the "port" of a source, which is a descriptor, and then reads eight bytes from it, as
/// befits its own event descriptors. From an epoll descriptor nothing can be read, so that nothing gets lost.
enum RunLoopWait {
    /// Who looks when the loop has found the set readable.
    private final class Looker {
        let set: WaitSet
        let turns: DirectTurns
        let look: @Sendable () -> Void

        init(_ set: WaitSet, _ place: any Delivery, _ look: @escaping @Sendable () -> Void) {
            self.set = set
            turns = DirectTurns(for: place)
            self.look = look
        }

        /// On the loop's thread, and nowhere else.
        func perform() { turns.run(after: look) { turns in turns() } }
    }

    /// Core Foundation's sources may be ended on any thread, and its loops be woken.
    private struct Source: @unchecked Sendable {
        let value: CFRunLoopSource
        let loop: CFRunLoop
    }

    /// Has the loop look in that mode until the subscription ends; nil when Core Foundation makes no source.
    static func start(
        loop: CFRunLoop, mode: CFRunLoopMode?, set: WaitSet, place: any Delivery, look: @escaping @Sendable () -> Void
    ) -> Subscription? {
        var context = CFRunLoopSourceContext1()
        context.version = 1
        let looker = Looker(set, place, look)
        context.info = Unmanaged.passUnretained(looker).toOpaque()
        context.retain = { info in
            guard let info else { return nil }
            return UnsafeRawPointer(Unmanaged<Looker>.fromOpaque(info).retain().toOpaque())
        }
        context.release = { info in
            if let info { Unmanaged<Looker>.fromOpaque(info).release() }
        }
        context.getPort = { info in
            guard let info else { return -1 }
            return Unmanaged<Looker>.fromOpaque(info).takeUnretainedValue().set.descriptor
        }
        context.perform = { info in
            if let info { Unmanaged<Looker>.fromOpaque(info).takeUnretainedValue().perform() }
        }
        let made = withExtendedLifetime(looker) {
            withUnsafeMutablePointer(to: &context) { context in
                context.withMemoryRebound(to: CFRunLoopSourceContext.self, capacity: 1) {
                    CFRunLoopSourceCreate(nil, 0, $0)
                }
            }
        }
        guard let made else { return nil }
        CFRunLoopAddSource(loop, made, mode)
        let source = Source(value: made, loop: loop)
        return Subscription {
            CFRunLoopSourceInvalidate(source.value)
            // Without its last source a loop returns from run().
            CFRunLoopWakeUp(source.loop)
        }
    }
}
