// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Synchronization

/// Methods that write bytes and return the status. Any thread may call them.
extension ChannelCore {
    /// The status of the channel. `end` is read before `bytesAvailable`. No bytes arrive after `end` is set, so if
    /// `end` is not `nil`, the number of available bytes is final.
    var status: ByteChannelStatus {
        var status = state.withLock { state in
            let space = state.end == nil ? self.appBytes(inBufferBytes: state.output.ring.space) : 0
            if space == 0 { state.output.isWriterWaiting = true }
            return ByteChannelStatus(bytesAvailable: 0, spaceAvailable: space, end: state.end)
        }
        status.bytesAvailable = input.bytesAvailable
        return status
    }

    /// Returns the number of data bytes that fit into the given number of bytes in the output buffer.
    private func appBytes(inBufferBytes bytes: Int) -> Int {
        guard let framing = port.framing else { return bytes }
        return bytes / ReportRecord.length(framing) * framing.reportLength
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> ByteChannelWrite {
        if let framing = port.framing { return write(bytes, as: framing) }
        let bytes = BorrowedBytes(bytes: bytes)
        let (result, requestsService) = state.withLock { state -> (ByteChannelWrite, Bool) in
            if let end = state.end { return (.ended(end), false) }
            var done = 0
            // If the queue is empty, bytes go directly to the kernel, which saves a copy and a thread switch. The
            // reactor writes only while the queue is not empty, so calls to `port.write` do not overlap.
            let wasEmpty = state.output.ring.count == 0
            if wasEmpty, !state.isEnding {
                direct: while done < bytes.count {
                    // The reactor handles errors, because the observer must not be notified during this call.
                    guard case .bytes(let count) = port.write(bytes.suffix(from: done), isLast: true), count > 0
                    else { break direct }
                    done += min(count, bytes.count - done)
                }
            }
            let queued = state.output.ring.write(bytes.suffix(from: done))
            state.output.unsentBytes += queued
            if done + queued < bytes.count || state.output.ring.space == 0 { state.output.isWriterWaiting = true }
            return (.accepted(done + queued), wasEmpty && queued > 0)
        }
        if requestsService { reactor.requestService() }
        return result
    }

    /// Writes bytes as reports. Each report contains bytes from only one call.
    private func write(_ bytes: UnsafeRawBufferPointer, as framing: HIDFraming) -> ByteChannelWrite {
        let bytes = BorrowedBytes(bytes: bytes)
        let (result, startsThread) = state.withLock { state -> (ByteChannelWrite, Bool) in
            if let end = state.end { return (.ended(end), false) }
            var done = 0
            while done < bytes.count, state.output.ring.space >= ReportRecord.length(framing) {
                let count = min(framing.reportLength, bytes.count - done)
                ReportRecord.write(bytes.suffix(from: done, count: count), as: framing, to: &state.output.ring)
                done += count
            }
            state.output.unsentBytes += done
            if done < bytes.count || state.output.ring.space < ReportRecord.length(framing) {
                state.output.isWriterWaiting = true
            }
            guard done > 0, !state.isFinished, case .reactor = state.output.activity else {
                return (.accepted(done), false)
            }
            state.output.activity = .reportThread
            return (.accepted(done), true)
        }
        if startsThread { startWritingReports(framing) }
        return result
    }
}

/// The caller's buffer, wrapped so that it can be read inside a lock. Valid only during the call.
struct BorrowedBytes: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer
    var count: Int { bytes.count }

    func suffix(from start: Int, count: Int = .max) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[start...].prefix(count))
    }
}

/// The caller's buffer, wrapped so that it can be written inside a lock. Valid only during the call.
struct BorrowedMemory: @unchecked Sendable { let memory: UnsafeMutableRawBufferPointer }
