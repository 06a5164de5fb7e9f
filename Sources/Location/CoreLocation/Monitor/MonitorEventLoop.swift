// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Synchronization

/// The loop behind an iterator of `CLMonitor.Events`. An event is complete when the app requests the next one or exits
/// the loop. Safe to use from any thread.
final class MonitorEventLoop: Sendable {
    private struct Source: ConsumerBuffer {
        let core: MonitorCore
        weak var loop: MonitorEventLoop?

        mutating func popFirst() -> MonitorState.NumberedEvent? { loop.flatMap { core.removeFirst(for: $0) } }
    }

    private let core: MonitorCore
    private let loop: ConsumerLoop<Source>
    private let current = Mutex<MonitorState.NumberedEvent?>(nil)

    init(_ core: MonitorCore) {
        self.core = core
        loop = ConsumerLoop(Source(core: core), gate: core.gate)
    }

    func next() async -> CLMonitor.Event? {
        finishCurrent()
        if loop.start({ $0.loop = self }) { core.activate(self) }
        while let numberedEvent = await loop.next(onCancel: { self.finish() }) {
            guard core.isCurrent(numberedEvent) else { continue }
            current.withLock { $0 = numberedEvent }
            return numberedEvent.event
        }
        return nil
    }

    /// Ends the loop after the app has exited it or its task has been cancelled.
    func finish() {
        finishCurrent()
        core.deactivate(self)
        loop.finish()
    }

    private func finishCurrent() {
        if let numberedEvent = current.withLock({ $0.take() }) { core.complete(numberedEvent) }
    }

    // MARK: Called by the monitor

    /// Resumes a waiting `next()`, which then removes an event from the monitor's queue.
    func eventsDidArrive() { loop.update { _ in } }

    /// Ends the loop because a newer loop has started.
    func end() { loop.finish() }
}
