// SPDX-License-Identifier: Apache-2.0

import DeviceCore

extension SimulatedDevice {
    /// Plays the rest of the trace at once, with every callback, and returns.
    ///
    /// The clock stands at the end of the trace afterwards; `advance(by:)` lets time-outs run that were not due yet. Does
    /// nothing when called while the device plays, as from a callback. With `delivery: .asLive`, or when somebody
    /// consumes an async sequence, use the async form.
    public func play() { run(upTo: .never) }

    /// Lets that many seconds pass on the device's clock, with all that happens in them. The trace may end meanwhile.
    /// Negative numbers and NaN count as 0. Does nothing when called while the device plays.
    public func advance(by seconds: Double) {
        let limit = time(after: seconds)
        if run(upTo: limit), !player.isStopped { clock.move(to: limit) }
    }

    /// Plays the next event of the trace, with the timers that are due before it; false at the end. Readings of a motion
    /// sensor that came in together are one event.
    @discardableResult
    public func step() -> Bool { play(atMost: 1) }

    /// Plays so many of the next events of the trace; false at the end.
    package func play(atMost count: Int) -> Bool {
        guard player.claim() else { return false }
        defer { player.release() }
        let isMain = MainThread.isCurrent
        return device.bind {
            var rest = count
            callbacks.run(isOnMainThread: isMain)
            while let next = player.nextEvent() {
                let step = player.step(upTo: next)
                callbacks.run(isOnMainThread: isMain)
                switch step {
                // What is due before the event.
                case .happened: continue
                case .handedOn:
                    rest -= 1
                    if rest <= 0 { return true }
                case .finished: return false
                }
            }
            // What the last events brought about, without moving the clock.
            while player.step(upTo: clock.now) != .finished { callbacks.run(isOnMainThread: isMain) }
            callbacks.run(isOnMainThread: isMain)
            return false
        }
    }

    /// Goes to another place of the trace, forward or back, in seconds from the trace's start.
    ///
    /// Nobody is told of what lies between. When this returns, the device has the state of that place: its accessories,
    /// its battery and what is lost there. Managers are told of these changes at once. The last position is that of the
    /// place, with its age; nobody is told of it. Managers hear of positions again with the next one, and of motion
    /// with the next reading. What was held back of an epoch is dropped. Sessions with accessories that stay attached
    /// go on, with what the trace has from there on.
    ///
    /// The device's clock does not go back: time since boot stands still meanwhile and rises from there on, so that
    /// intervals and time-outs stay what they are. Civil time is that of the place, as the times of the receivers are.
    /// The attitude settles again as after a jolt.
    ///
    /// A place before the start is the start, even if ``PlaybackOptions/from`` is later; one after the end leaves
    /// nothing to play. The number of rounds left stays the same. Does nothing when called while the device plays.
    public func seek(to seconds: Double) {
        guard player.claim() else { return }
        defer { player.release() }
        let isMain = MainThread.isCurrent
        device.bind {
            callbacks.run(isOnMainThread: isMain)
            player.seek(to: seconds)
            callbacks.run(isOnMainThread: isMain)
        }
    }

    /// The time that many seconds from now, as far as the clock goes. "Never" would be the end of the trace instead.
    func time(after seconds: Double) -> BootTime {
        min(clock.now.advanced(bySeconds: max(0, seconds)), BootTime(nanoseconds: .max - 1))
    }

    @discardableResult
    private func run(upTo limit: BootTime) -> Bool {
        guard player.claim() else { return false }
        defer { player.release() }
        let isMain = MainThread.isCurrent
        device.bind {
            callbacks.run(isOnMainThread: isMain)
            repeat {
                while player.step(upTo: limit) != .finished { callbacks.run(isOnMainThread: isMain) }
                callbacks.run(isOnMainThread: isMain)
                // The last callbacks may have written to an accessory.
            } while limit == .never && player.isTimerDue
        }
        return true
    }
}
