// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import SystemCalls

/// Reading in the place where the app hears of what comes in, which wakes one thread less than the reactor that tells it.
extension ChannelCore {
    /// Has that place read, when it can; nil for the reactor.
    func deliver(in place: DirectPlace?) {
        guard port.inputPatience != nil else { return }
        let former = self.place.withLock { exchange(&$0, with: place) }
        if former != place { reactor.ask() }
    }

    /// Takes in what the place would find when it looks; false when that is nothing.
    ///
    /// For an app that asks for bytes and does not let its place look meanwhile.
    func takeIn() -> Bool {
        guard isLent.load(ordering: .acquiring) else { return false }
        return reading.withLock { reading in
            if reading.isOver { return false }
            // What else it finds is found by who looks next.
            _ = takeLook()
            return input.bytesAvailable > 0
        }
    }

    /// The channel becomes the reactor's, which that wakes.
    func join(_ wakeUp: WakeUp) {
        guard port.inputPatience != nil else { return }
        keeper.withLock { keeper in
            keeper = LinkKeeper(link: self, wakeUp: wakeUp, clock: clock) { [weak self] in
                self?.place.withLock { $0 }?.delivery
            }
        }
    }

    // MARK: On the reactor's thread

    /// What to wait for while the place reads; nil while the reactor does.
    var awaitedLoan: Int32? {
        guard isLent.load(ordering: .relaxed) else { return nil }
        var descriptor: Int32?
        change { keeper in
            if !keeper.takeBackWhenOver(), keeper.isLent { descriptor = keeper.awaited.descriptor }
        }
        return descriptor
    }

    func attendLoan() {
        // The link of a channel has nothing to tell there.
        change { keeper in try? keeper.attendLoan(isReady: true) }
    }

    func lendWhenDue() {
        change { keeper in keeper.lendWhenDue() }
    }

    func takeBack() {
        change { keeper in keeper.takeBack() }
    }

    /// The port is about to be given back: nobody reads from it any more.
    func leaveLoan() {
        keeper.withLock { keeper in
            keeper?.takeBack()
            // It keeps the channel.
            keeper = nil
        }
        isLent.store(false, ordering: .releasing)
        reading.withLock { $0.isOver = true }
    }

    private func change(_ body: (inout LinkKeeper) -> Void) {
        keeper.withLock { keeper in
            guard var current = keeper.take() else { return }
            body(&current)
            isLent.store(current.isLent, ordering: .releasing)
            keeper = consume current
        }
    }
}

/// As the keeper knows it. What is due without bytes is none of its business.
extension ChannelCore: LentLink {
    var deadline: BootTime { .never }
    var attentionEnd: BootTime { reading.withLock { $0.attention.end } }
    var looks: UInt64 { reading.withLock { $0.attention.looks } }

    func expectLook() -> Double { reading.withLock { $0.attention.expectLook(now: clock.now) } }

    /// Reading on the reactor's thread is what `serve` does.
    func look(isReadable: Bool) {}

    func look(alarm: Alarm, in place: any DirectDelivery, while isLent: () -> Bool) -> LentLook {
        reading.withLockIfAvailable { reading in
            guard !reading.isOver, isLent() else { return .over }
            reading.attention.noteLook(now: clock.now)
            let found = takeLook()
            reading.attention.isLent(alarm, now: clock.now, deadline: .never)
            return found
        } ?? .busy
    }

    func lookAfter() {}
}
