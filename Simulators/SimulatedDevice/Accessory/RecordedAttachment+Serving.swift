// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// The transfer of bytes between the program's channels and the recorded dialogues. The caller must not hold the lock.
extension RecordedAttachment {
    // MARK: Serving

    /// Transfers as many bytes as possible in both directions. If a transfer is already in progress, makes it check
    /// for more bytes and returns.
    func transferBytes() {
        let isFirst = state.withLock { state in
            if state.isTransferring {
                state.needsAnotherPass = true
                return false
            }
            state.isTransferring = true
            return true
        }
        guard isFirst else { return }
        repeat {
            var index = 0
            while index < state.withLock({ $0.protocols.count }) {
                while let session = state.withLock({ $0.protocols[index].sessions.first }), serve(session, index) {}
                index += 1
            }
        } while state.withLock { state in
            state.isTransferring = exchange(&state.needsAnotherPass, with: false)
            return state.isTransferring
        }
    }

    /// Serves a session. Returns true if the session has ended and the next session can be served.
    private func serve(_ session: Session, _ index: Int) -> Bool {
        let isOver = readOutput(session, index)
        if !isOver {
            deliverInput(session, index)
            guard let reason = state.withLock({ $0.protocols[index].with(session.number) { $0.dueEnd } }) else {
                return false
            }
            if reason == .failed {
                session.channel.end(
                    ByteChannelEnd(.failed, error: DeviceError(.inputOutput, "The session failed in the recording.")))
            } else {
                session.channel.close()
            }
        }
        state.withLock { state in
            state.protocols[index].with(session.number) { $0.close() }
            state.protocols[index].sessions.removeAll { $0.number == session.number }
            removeFinishedDialogues(&state, index)
        }
        return true
    }

    /// Reads the bytes that the program has written. Returns true if the program has closed the session.
    private func readOutput(_ session: Session, _ index: Int) -> Bool {
        while true {
            var isOver = false
            let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
                switch session.channel.read(into: UnsafeMutableRawBufferPointer(buffer)) {
                case .bytes(let readCount): count = readCount
                case .empty: break
                case .ended: isOver = true
                }
            }
            if isOver { return true }
            if bytes.isEmpty { return false }
            state.withLock { state in
                state.protocols[index].with(session.number) { $0.write(bytes) }
                reportMismatches(&state, index)
            }
        }
    }

    private func deliverInput(_ session: Session, _ index: Int) {
        while true {
            let bytes = state.withLock { $0.protocols[index].with(session.number) { $0.nextInput } }
            guard !bytes.isEmpty,
                case .accepted(let count) = bytes.withUnsafeBytes({ session.channel.write($0) }), count > 0
            else { return }
            state.withLock { $0.protocols[index].with(session.number) { $0.consumeInput(count) } }
        }
    }
}
