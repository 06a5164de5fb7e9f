// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Synchronization

/// One loop over the events of a monitor.
final class MonitorLoop: Sendable {
    private struct Waiting: ConsumedState {
        var events = Outbox<CLMonitor.Event>()

        mutating func takeFirst() -> CLMonitor.Event? { events.takeFirst() }
    }

    private let core: MonitorCore
    private let loop: ConsumerLoop<Waiting>
    /// The event that the program works on.
    private let current = Mutex<CLMonitor.Event?>(nil)

    init(_ core: MonitorCore) {
        self.core = core
        loop = ConsumerLoop(Waiting(), gate: core.gate)
    }

    func next() async -> CLMonitor.Event? {
        finishCurrent()
        if loop.start({ _ in }) { core.begin(self) }
        guard let event = await loop.next(onCancel: { self.finish() }) else { return nil }
        core.handedOver(event)
        current.withLock { $0 = event }
        return event
    }

    /// The loop was left, or its task cancelled.
    func finish() {
        finishCurrent()
        core.end(self)
    }

    private func finishCurrent() {
        if let event = current.withLock({ $0.take() }) { core.finished(event) }
    }

    // MARK: The monitor's side

    func add(_ event: CLMonitor.Event) {
        loop.change { $0.events.append(event, limit: MonitorCore.eventLimit) }
    }

    func forget(_ identifier: String) {
        loop.change { state in state.events.removeAll { $0.identifier == identifier } }
    }

    /// Ends it; what the program has not taken.
    func end() -> [CLMonitor.Event] {
        let rest = Mutex<[CLMonitor.Event]>([])
        loop.change { state in
            while let event = state.takeFirst() { rest.withLock { $0.append(event) } }
        }
        loop.finish()
        return rest.withLock { $0 }
    }
}
