// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Synchronization

extension ChannelCore {
    /// The end before the bytes: after it no more come.
    var status: ByteChannelStatus {
        var status = state.withLock { state in
            let space = state.end == nil ? self.space(state.output.ring.space) : 0
            if space == 0 { state.output.isWriterWaiting = true }
            return ByteChannelStatus(bytesAvailable: 0, spaceAvailable: space, end: state.end)
        }
        status.bytesAvailable = input.bytesAvailable
        return status
    }

    /// How many of the app's bytes fit into that much of the buffer.
    private func space(_ bytes: Int) -> Int {
        guard let framing = port.framing else { return bytes }
        return bytes / ReportRecord.length(framing) * framing.reportLength
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> ByteChannelWrite {
        if let framing = port.framing { return write(bytes, as: framing) }
        let bytes = BorrowedBytes(bytes: bytes)
        let (result, asks) = state.withLock { state -> (ByteChannelWrite, Bool) in
            if let end = state.end { return (.ended(end), false) }
            var done = 0
            // Straight to the kernel when nothing waits: that saves a copy and a change of threads.
            let wasEmpty = state.output.ring.count == 0
            if wasEmpty, !state.isEnding {
                direct: while done < bytes.count {
                    // An error is left to the reactor, which tells of it: this call may not.
                    guard case .bytes(let count) = port.write(bytes.from(done), isLast: true), count > 0
                    else { break direct }
                    done += min(count, bytes.count - done)
                }
            }
            let queued = state.output.ring.write(bytes.from(done))
            state.output.unsentBytes += queued
            if done + queued < bytes.count || state.output.ring.space == 0 { state.output.isWriterWaiting = true }
            return (.taken(done + queued), wasEmpty && queued > 0)
        }
        if asks { reactor.ask() }
        return result
    }

    /// Queues a report for every part of the bytes: a write never shares a report with another one.
    private func write(_ bytes: UnsafeRawBufferPointer, as framing: HIDFraming) -> ByteChannelWrite {
        let bytes = BorrowedBytes(bytes: bytes)
        let (result, starts) = state.withLock { state -> (ByteChannelWrite, Bool) in
            if let end = state.end { return (.ended(end), false) }
            var done = 0
            while done < bytes.count, state.output.ring.space >= ReportRecord.length(framing) {
                let count = min(framing.reportLength, bytes.count - done)
                ReportRecord.write(bytes.from(done, count: count), as: framing, to: &state.output.ring)
                done += count
            }
            state.output.unsentBytes += done
            if done < bytes.count || state.output.ring.space < ReportRecord.length(framing) {
                state.output.isWriterWaiting = true
            }
            guard done > 0, !state.isFinished, case .reactor = state.output.activity else {
                return (.taken(done), false)
            }
            state.output.activity = .reportThread
            return (.taken(done), true)
        }
        if starts { startWritingReports(framing) }
        return result
    }

}

/// Memory of a caller's, for use under a lock during the call only.
struct BorrowedBytes: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer
    /// How many there are.
    var count: Int { bytes.count }

    /// Those from there on, as many as that at most, for the closure alone.
    func from(_ start: Int, count: Int = .max) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[start...].prefix(count))
    }
}

/// Memory of a caller's to be filled under a lock during the call only.
struct BorrowedMemory: @unchecked Sendable {
    let memory: UnsafeMutableRawBufferPointer
}
