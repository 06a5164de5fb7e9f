// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import CoreFoundation
import DeviceCore
import Foundation
import Synchronization

/// Delivery on the run loop of the thread that made it, in the common modes.
///
/// It is a run-loop source of its own, not `RunLoop.perform`: on Linux that never wakes a sleeping loop, and a source
/// also keeps the loop of a thread that has nothing else alive for as long as the manager lives, as on Apple.
final class RunLoopDelivery: Delivery, @unchecked Sendable {
    // CFRunLoop, CFRunLoopSourceSignal and CFRunLoopWakeUp may be used from any thread.
    private let loop: CFRunLoop
    private let source: CFRunLoopSource
    private let work: PendingWork

    /// Delivers on the current thread's run loop.
    init() {
        let work = PendingWork()
        var context = CFRunLoopSourceContext()
        context.info = Unmanaged.passUnretained(work).toOpaque()
        context.retain = { info in
            guard let info else { return nil }
            return UnsafeRawPointer(Unmanaged<PendingWork>.fromOpaque(info).retain().toOpaque())
        }
        context.release = { info in
            if let info { Unmanaged<PendingWork>.fromOpaque(info).release() }
        }
        context.perform = { info in
            if let info { Unmanaged<PendingWork>.fromOpaque(info).takeUnretainedValue().run() }
        }
        self.work = work
        loop = CFRunLoopGetCurrent()
        source = CFRunLoopSourceCreate(nil, 0, &context)
        CFRunLoopAddSource(loop, source, kCFRunLoopCommonModes)
    }

    deinit {
        CFRunLoopSourceInvalidate(source)
        CFRunLoopWakeUp(loop)
    }

    func schedule(_ item: @escaping @Sendable () -> Void) {
        work.add(item)
        CFRunLoopSourceSignal(source)
        CFRunLoopWakeUp(loop)
    }
}

/// What waits for the run loop to come round.
private final class PendingWork: Sendable {
    private let items = Mutex<[@Sendable () -> Void]>([])

    func add(_ item: @escaping @Sendable () -> Void) {
        items.withLock { $0.append(item) }
    }

    func run() {
        let items = items.withLock { items in
            defer { items.removeAll(keepingCapacity: true) }
            return items
        }
        for item in items { item() }
    }
}
