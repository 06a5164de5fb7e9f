// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Synchronization
import SystemCalls

/// Reading from the port, by one at a time.
extension ChannelCore {
    /// What was found to be read.
    enum Input: ~Copyable {
        case empty, full
        case ended(ByteChannelEnd)
    }

    /// How much is read before others have their turn.
    enum Amount {
        /// By an executor: about as much as an app reads in one callback.
        case look
        /// By the reactor.
        case turn
        /// All that the kernel still gives.
        case rest

        var rounds: Int { self == .rest ? 1024 : 16 }
        var bytes: Int { self == .look ? 32_768 : .max }
    }

    /// By the reactor.
    func takeInput(_ amount: Amount) -> Input {
        reading.withLock { _ in takeInputLocked(amount) }
    }

    /// Reads with the lock held.
    func takeInputLocked(_ amount: Amount) -> Input {
        var rest = amount.bytes
        for _ in 0..<amount.rounds {
            let result: PortResult
            var isShort = false
            if let framing = port.framing {
                guard input.hasSpace(for: framing.reportLength) else { return .full }
                result = takeReport(framing)
            } else {
                let taken = input.fillUnlocked { memory -> (count: Int, result: PortResult) in
                    let memory = UnsafeMutableRawBufferPointer(rebasing: memory.prefix(rest))
                    let result = port.read(into: memory)
                    guard case .bytes(let count) = result else { return (0, result) }
                    rest -= count
                    isShort = count < min(memory.count, 2048)
                    return (count, result)
                }
                guard let taken else { return .full }
                result = taken
            }
            if case .bytes(let count) = result, amount == .rest {
                let isEnough = state.withLock { state in
                    if state.asked != nil { state.takenAfterEnd += count }
                    return state.takenAfterEnd >= ChannelCore.restLimit
                }
                if isEnough { return .full }
            }
            switch result {
            // Little came, so nothing else waits: poll tells if that is wrong. An executor may not be called again.
            case .bytes:
                if isShort, amount == .turn, !port.isTriedAlways { return .empty }
                if rest <= 0 { return .full }
            case .wait: return .empty
            case .ended(let end): return .ended(end)
            }
        }
        // There is more; others have their turn first.
        if amount == .rest || port.isTriedAlways { reactor.ask() }
        return .full
    }

    private func takeReport(_ framing: HIDFraming) -> PortResult {
        withUnsafeTemporaryAllocation(byteCount: framing.reportLength + 1, alignment: 16) { memory in
            let result = port.read(into: memory)
            if case .bytes(let count) = result, count > 0 {
                _ = input.write(UnsafeRawBufferPointer(rebasing: memory[..<count]))
            }
            return result
        }
    }

    /// After a close: the other side may wait until somebody reads, before it reads what is still to be sent.
    func dropInput() {
        let isPending = port.pendingBytes > 0
        let isWanted = state.withLock { ($0.unsent > 0 || isPending) && !$0.isInputOver }
        guard isWanted else { return }
        let length = max(16_384, (port.framing?.reportLength ?? 0) + 1)
        let isMore = reading.withLock { _ in
            withUnsafeTemporaryAllocation(byteCount: length, alignment: 16) { memory in
                for _ in 0..<16 {
                    switch port.read(into: memory) {
                    case .bytes: continue
                    case .wait: return false
                    case .ended:
                        // The other side may have ended its own way only; else writing tells.
                        state.withLock { $0.isInputOver = true }
                        return false
                    }
                }
                return true
            }
        }
        if isMore, port.isTriedAlways { reactor.ask() }
    }
}
