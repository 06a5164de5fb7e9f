// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

extension SimulatedDevice {
    /// Plays the rest of the trace at once, with every callback, and returns.
    ///
    /// The clock stands at the end of the trace afterwards; `advance(by:)` lets time-outs run that were not due yet. Does
    /// nothing when called while the device plays, as from a callback. With `delivery: .asLive`, or when somebody
    /// consumes an async sequence, use the async form.
    public func play() {
        run(upTo: .never)
    }

    /// Lets that many seconds pass on the device's clock, with all that happens in them. The trace may end meanwhile.
    public func advance(by seconds: Double) {
        let limit = clock.now.advanced(bySeconds: max(0, seconds))
        if run(upTo: limit) { clock.move(to: limit) }
    }

    /// Plays the next event of the trace, with the timers that are due before it; false at the end.
    @discardableResult
    public func step() -> Bool {
        guard player.claim() else { return false }
        defer { player.release() }
        guard let next = player.nextEvent() else { return false }
        let isMain = MainThread.isCurrent
        device.bind {
            callbacks.run(isOnMainThread: isMain)
            // Timers that are due before the event are steps of their own.
            while player.nextEvent() == next, case .happened = player.step(upTo: next) {
                callbacks.run(isOnMainThread: isMain)
            }
        }
        return true
    }

    @discardableResult
    private func run(upTo limit: BootTime) -> Bool {
        guard player.claim() else { return false }
        defer { player.release() }
        let isMain = MainThread.isCurrent
        device.bind {
            callbacks.run(isOnMainThread: isMain)
            while case .happened = player.step(upTo: limit) { callbacks.run(isOnMainThread: isMain) }
            callbacks.run(isOnMainThread: isMain)
        }
        return true
    }
}
