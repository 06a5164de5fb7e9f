// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import SystemCalls

/// Reading in the place where the app hears of what comes in, which wakes one thread less than the reactor that tells it.
extension ChannelCore {
    /// What was found to be read.
    enum Input {
        case empty, full
        case ended(ByteChannelEnd)
    }

    /// How much is read before others have their turn.
    enum Amount {
        /// By the place: about as much as the app is told of before it looks again.
        case look
        /// By the reactor.
        case turn
        /// All that the kernel still gives.
        case rest

        var rounds: Int { self == .rest ? 1024 : 16 }
        var bytes: Int { self == .look ? 32_768 : .max }
    }

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
            _ = takeInputLocked(.look)
            return input.bytesAvailable > 0
        }
    }

    /// The channel becomes the reactor's, which that wakes.
    func join(_ wakeUp: WakeUp) {
        guard port.inputPatience != nil else { return }
        let keeper = LinkKeeper(link: Link(core: self), wakeUp: wakeUp, clock: clock) { [weak self] in
            self?.place.withLock { $0 }?.delivery
        }
        self.keeper.withLock { $0 = keeper }
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
        change { keeper in try? keeper.attendLoan() }
    }

    func lendWhenDue() {
        change { keeper in keeper.lendWhenDue() }
    }

    func takeBack() {
        change { keeper in keeper.takeBack() }
    }

    /// The port is about to be given back: nobody reads from it any more.
    func leaveLoan() {
        takeBack()
        reading.withLock { $0.isOver = true }
        // It keeps the channel.
        keeper.withLock { $0 = nil }
    }

    private func change(_ body: (inout LinkKeeper) -> Void) {
        keeper.withLock { keeper in
            guard var current = keeper.take() else { return }
            body(&current)
            isLent.store(current.isLent, ordering: .releasing)
            keeper = current
        }
    }

    /// The channel as the keeper knows it. What is due without bytes is none of its business.
    private final class Link: LentLink {
        let core: ChannelCore

        init(core: ChannelCore) { self.core = core }

        var descriptor: Int32 { core.port.descriptor }
        var deadline: BootTime { .never }
        var attentionEnd: BootTime { core.reading.withLock { $0.attention.end } }
        var looks: UInt64 { core.reading.withLock { $0.attention.looks } }

        func expectLook() -> Double {
            core.reading.withLock { $0.attention.expectLook(now: core.clock.now) }
        }

        func look(isReadable: Bool) {}

        func look(alarm: Alarm, in place: any DirectDelivery) -> LentLook {
            core.reading.withLockIfAvailable { reading in
                if reading.isOver { return .over }
                reading.attention.noteLook(now: core.clock.now)
                let input = core.takeInputLocked(.look)
                reading.attention.isLent(alarm, now: core.clock.now, deadline: .never)
                switch input {
                case .empty: return .all
                case .full: return core.input.isWriterWaiting ? .over : .more
                case .ended: return .over
                }
            } ?? .more
        }

        func lookAfter() {}
    }
}
