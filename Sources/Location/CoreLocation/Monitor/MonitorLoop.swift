// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Synchronization

/// One loop over the events of a monitor, which keeps them until the loop's program asks for one.
final class MonitorLoop: Sendable {
    private struct Source: ConsumedState {
        let core: MonitorCore
        weak var loop: MonitorLoop?

        mutating func takeFirst() -> MonitorState.News? { loop.flatMap { core.takeFirst(for: $0) } }
    }

    private let core: MonitorCore
    private let loop: ConsumerLoop<Source>
    /// What the program works on.
    private let current = Mutex<MonitorState.News?>(nil)

    init(_ core: MonitorCore) {
        self.core = core
        loop = ConsumerLoop(Source(core: core), gate: core.gate)
    }

    func next() async -> CLMonitor.Event? {
        finishCurrent()
        if loop.start({ $0.loop = self }) { core.begin(self) }
        while let news = await loop.next(onCancel: { self.finish() }) {
            // Removed while it was on its way here.
            guard core.isCurrent(news) else { continue }
            current.withLock { $0 = news }
            return news.event
        }
        return nil
    }

    /// The loop was left, or its task cancelled.
    func finish() {
        finishCurrent()
        core.end(self)
        loop.finish()
    }

    private func finishCurrent() {
        if let news = current.withLock({ $0.take() }) { core.finished(news) }
    }

    // MARK: The monitor's side

    /// Something waits.
    func look() { loop.change { _ in } }

    /// Another loop has taken over.
    func end() { loop.finish() }
}
