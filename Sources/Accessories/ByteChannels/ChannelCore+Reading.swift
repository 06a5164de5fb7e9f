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
        polling.isClosed.withLock { _ in takeInputLocked(amount) }
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
                if state.withLock({ $0.recordInput(count) }) { return .full }
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

    /// Reads and discards input after a close, because the peer may send before it reads the rest of the output.
    func dropInput() {
        let isPending = port.pendingBytes > 0
        let isNeeded = state.withLock { state in
            guard case .closing(let closing) = state.phase, !closing.isInputFinished else { return false }
            return state.output.unsentBytes > 0 || isPending
        }
        guard isNeeded else { return }
        let length = max(16_384, (port.framing?.reportLength ?? 0) + 1)
        let isMore = polling.isClosed.withLock { _ in
            withUnsafeTemporaryAllocation(byteCount: length, alignment: 16) { memory in
                for _ in 0..<16 {
                    switch port.read(into: memory) {
                    case .bytes: continue
                    case .wait: return false
                    case .ended:
                        // The peer may have shut down its sending side only; otherwise writing fails.
                        state.withLock { state in state.updateClosing { $0.isInputFinished = true } }
                        return false
                    }
                }
                return true
            }
        }
        if isMore, port.isTriedAlways { reactor.ask() }
    }
}
