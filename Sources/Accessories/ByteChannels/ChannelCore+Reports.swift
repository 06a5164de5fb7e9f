// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import SystemCalls

extension ChannelCore {
    /// Starts a thread that lives while there are reports to be sent: the kernel lets a write of a report wait for the
    /// device, whatever the flags say.
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
                    if state.output.count > 0, !state.isGone, !state.isAbandoned {
                        return ReportRecord.read(from: &state.output, into: record.memory)
                    }
                    state.isWritingReports = false
                    return nil
                }
                guard let length else { return reactor.ask() }
                let report = UnsafeRawBufferPointer(rebasing: memory[ReportRecord.headerLength...])
                if let failure = send(report) { return finishWritingReports(failure) }
                let observer = state.withLock { state in
                    state.unsent -= min(length, state.unsent)
                    return observerOfSpace(&state)
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
            case .wait:
                // Only stand-ins for the device ever have no space.
                var descriptor = pollfd(fd: port.descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&descriptor, 1, 100)
                if state.withLock({ $0.isGone || $0.isAbandoned || $0.asked != nil }) { return ByteChannelEnd(.closed) }
            }
        }
    }

    private func finishWritingReports(_ failure: ByteChannelEnd) {
        state.withLock { state in
            state.isWritingReports = false
            state.reportFailure = failure
        }
        reactor.ask()
    }
}
