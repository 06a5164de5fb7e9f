// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Synchronization
import SystemCalls

/// Methods that read from the port. Only the thread that holds `polling.readLock` reads.
extension ChannelCore {
    enum InputResult: ~Copyable {
        case empty, full
        case ended(ByteChannelEnd)
    }

    enum ReadLimit {
        /// A read on any thread while an executor polls the port. The read continues until the port is empty, because
        /// the executor's run loop might not report remaining bytes. The limit is 32 KiB, which is about as much as an
        /// app reads in one callback.
        case callback
        /// A read on the reactor thread while the reactor polls the port. It is limited, so that other channels are
        /// served too.
        case pass
        /// A read of everything that the kernel still holds.
        case remainder

        var maximumReads: Int { self == .remainder ? 1024 : 16 }
        var bytes: Int { self == .callback ? 32_768 : .max }
    }

    func readInput(_ limit: ReadLimit) -> InputResult { polling.readLock.withLock { _ in readInputLocked(limit) } }

    /// Reads from the port. The caller must hold the lock `polling.readLock`.
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
            // If a read does not fill the buffer, the port is most likely empty. The reactor stops reading, because
            // poll(2) will report any remaining bytes. An executor continues, because its run loop might not be
            // notified again.
            case .bytes:
                if isShort, limit == .pass, !port.hasUnreportedReadiness { return .empty }
                if remaining <= 0 { return .full }
            case .wouldBlock: return .empty
            case .ended(let end): return .ended(end)
            }
        }
        // More input may remain. It is read later, so that other work is not delayed.
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

    /// Reads and discards a closed channel's input. The peer may need to send this data before it can accept the
    /// remaining output.
    func discardInput() {
        let isPending = port.pendingBytes > 0
        let isNeeded = state.withLock { state in
            guard case .closing(let closing) = state.phase, !closing.isInputFinished else { return false }
            return state.output.unsentBytes > 0 || isPending
        }
        guard isNeeded else { return }
        let length = max(16_384, (port.framing?.reportLength ?? 0) + 1)
        let hasMore = polling.readLock.withLock { _ in
            withUnsafeTemporaryAllocation(byteCount: length, alignment: 16) { memory in
                for _ in 0..<16 {
                    switch port.read(into: memory) {
                    case .bytes: continue
                    case .wouldBlock: return false
                    case .ended:
                        // The peer may have shut down only its sending side, so the remaining output is still sent. If
                        // it has closed the connection completely, writing fails.
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
