// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Synchronization
import SystemCalls

/// Reading from the port. Only one thread reads at a time.
extension ChannelCore {
    enum InputResult: ~Copyable {
        case empty, full
        case ended(ByteChannelEnd)
    }

    enum ReadLimit {
        /// A read by the executor, limited to 32 KiB, which is about the amount that an app reads in one callback.
        case poll
        /// A limited read by the reactor, so that other channels can also be served.
        case pass
        /// A read of all bytes that the kernel still holds.
        case remainder

        var maximumReads: Int { self == .remainder ? 1024 : 16 }
        var bytes: Int { self == .poll ? 32_768 : .max }
    }

    func readInput(_ limit: ReadLimit) -> InputResult { polling.isClosed.withLock { _ in readInputLocked(limit) } }

    /// Reads from the port. The caller holds the lock of `polling.isClosed`.
    func readInputLocked(_ limit: ReadLimit) -> InputResult {
        var remaining = limit.bytes
        for _ in 0..<limit.maximumReads {
            let result: PortResult
            var isShort = false
            if let framing = port.framing {
                guard input.hasSpace(for: framing.reportLength) else { return .full }
                result = readReport(framing)
            } else {
                let filled = input.fillUnlocked { memory -> (count: Int, result: PortResult) in
                    let memory = UnsafeMutableRawBufferPointer(rebasing: memory.prefix(remaining))
                    let result = port.read(into: memory)
                    guard case .bytes(let count) = result else { return (0, result) }
                    remaining -= count
                    isShort = count < min(memory.count, 2048)
                    return (count, result)
                }
                guard let filled else { return .full }
                result = filled
            }
            if case .bytes(let count) = result, limit == .remainder {
                if state.withLock({ $0.recordInput(count) }) { return .full }
            }
            switch result {
            // A read that does not fill the buffer has most likely emptied the port. If bytes remain, poll(2) reports
            // them to the reactor. An executor continues to read, because its run loop might not be notified again.
            case .bytes:
                if isShort, limit == .pass, !port.hasUnreportedReadiness { return .empty }
                if remaining <= 0 { return .full }
            case .wouldBlock: return .empty
            case .ended(let end): return .ended(end)
            }
        }
        // More input may be available, but it is read later so that other work is not delayed.
        if limit == .remainder || port.hasUnreportedReadiness { reactor.requestService() }
        return .full
    }

    private func readReport(_ framing: HIDFraming) -> PortResult {
        withUnsafeTemporaryAllocation(byteCount: framing.reportLength + 1, alignment: 16) { memory in
            let result = port.read(into: memory)
            if case .bytes(let count) = result, count > 0 {
                _ = input.write(UnsafeRawBufferPointer(rebasing: memory[..<count]))
            }
            return result
        }
    }

    /// Reads and discards input, because the peer may have to send data before it can receive the remaining output.
    func discardInput() {
        let isPending = port.pendingBytes > 0
        let isNeeded = state.withLock { state in
            guard case .closing(let closing) = state.phase, !closing.isInputFinished else { return false }
            return state.output.unsentBytes > 0 || isPending
        }
        guard isNeeded else { return }
        let length = max(16_384, (port.framing?.reportLength ?? 0) + 1)
        let hasMore = polling.isClosed.withLock { _ in
            withUnsafeTemporaryAllocation(byteCount: length, alignment: 16) { memory in
                for _ in 0..<16 {
                    switch port.read(into: memory) {
                    case .bytes: continue
                    case .wouldBlock: return false
                    case .ended:
                        // The peer may have shut down only its sending side, so the remaining output is still sent. If
                        // the peer has closed the connection, writing fails.
                        state.withLock { state in state.updateClosing { $0.isInputFinished = true } }
                        return false
                    }
                }
                return true
            }
        }
        if hasMore, port.hasUnreportedReadiness { reactor.requestService() }
    }
}
