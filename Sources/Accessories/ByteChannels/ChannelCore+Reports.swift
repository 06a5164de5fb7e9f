// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Synchronization
import SystemCalls

/// Methods that write HID reports on a separate thread, which ends when the queue is empty.
extension ChannelCore {
    /// Starts the thread. The caller has set `activity` to `.reportThread`, so only one thread runs. Even with
    /// O_NONBLOCK, a write blocks until the device accepts the report.
    func startWritingReports(_ framing: HIDFraming) {
        do {
            try WorkerThread.start { [self] in writeReports(framing) }
        } catch {
            finishWritingReports(ByteChannelEnd(.failed, error: error))
        }
    }

    private func writeReports(_ framing: HIDFraming) {
        withUnsafeTemporaryAllocation(byteCount: ReportRecord.length(framing), alignment: 16) { memory in
            let record = BorrowedMemory(memory: memory)
            while true {
                let length = state.withLock { state -> Int? in
                    if state.output.ring.count > 0, !state.isFinished, !state.isAbandoned {
                        return ReportRecord.read(from: &state.output.ring, into: record.memory)
                    }
                    state.output.activity = .reactor(fruitlessAttempts: 0)
                    return nil
                }
                guard let length else { return reactor.requestService() }
                let report = UnsafeRawBufferPointer(rebasing: memory[ReportRecord.headerLength...])
                if let failure = send(report) { return finishWritingReports(failure) }
                let observer = state.withLock { state in
                    state.output.recordSent(length)
                    return state.observerOfSpace(minimum: notifiedSpace)
                }
                observer?(.writable)
            }
        }
    }

    private func send(_ report: UnsafeRawBufferPointer) -> ByteChannelEnd? {
        while true {
            switch port.write(report, isLast: true) {
            case .bytes: return nil
            case .ended(let end): return end
            case .wouldBlock:
                // Real devices never report that they are full, but the simulated devices in tests do.
                var descriptor = pollfd(fd: port.descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&descriptor, 1, 100)
                if state.withLock({ $0.isFinished || $0.isAbandoned || $0.isEnding }) { return ByteChannelEnd(.closed) }
            }
        }
    }

    private func finishWritingReports(_ failure: ByteChannelEnd) {
        state.withLock { $0.output.activity = .failed(failure) }
        reactor.requestService()
    }
}

/// A queued report: the data length (two bytes), the report number, the data and the padding.
enum ReportRecord {
    static let headerLength = 2

    static func length(_ framing: HIDFraming) -> Int { headerLength + 1 + framing.reportLength }

    /// Appends a record. The ring must have enough space.
    static func write(_ data: UnsafeRawBufferPointer, as framing: HIDFraming, to ring: inout ByteRingBuffer) {
        withUnsafeTemporaryAllocation(byteCount: length(framing), alignment: 16) { record in
            record.initializeMemory(as: UInt8.self, repeating: 0)
            record[0] = UInt8(truncatingIfNeeded: data.count)
            record[1] = UInt8(truncatingIfNeeded: data.count >> 8)
            record[headerLength] = framing.reportNumber
            record[(headerLength + 1)...].copyBytes(from: data.prefix(framing.reportLength))
            _ = ring.write(UnsafeRawBufferPointer(record))
        }
    }

    /// Moves the oldest record from the ring to `record`. Returns the number of data bytes, without padding.
    static func read(from ring: inout ByteRingBuffer, into record: UnsafeMutableRawBufferPointer) -> Int {
        guard ring.read(into: record) == record.count, record.count > headerLength else { return 0 }
        return Int(record[0]) | Int(record[1]) << 8
    }
}
