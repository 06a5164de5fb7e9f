// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import LoopbackServer
import SystemCalls
import Trace

/// A client of the simulated gpsd. Confined to the server's thread.
final class GPSDClient {
    /// The policy for a report that does not fit into the socket's send buffer.
    enum OverflowPolicy {
        /// Drops the report. If part of it has already been sent, disconnects the client, as gpsd does.
        case drop
        case enqueue
    }

    /// The number of pending bytes above which the `drop` policy drops further reports.
    private static let maximumPendingForReports = 65_536

    let descriptor: Int32
    /// True if the client must be disconnected after all pending bytes have been sent.
    var closesAfterFlush = false
    var policy = GPSDWatch()
    var lastRequest: BootTime
    var hasReceivedReply = false
    /// The time at which the greeting is due, or nil after the greeting has been sent.
    var greetingTime: BootTime?
    private(set) var lostCount: Int64 = 0
    private(set) var isFinished = false
    /// The bytes that must be sent before any other output.
    private(set) var pending = FIFOQueue<UInt8>()
    /// The time until which pending bytes are held back.
    private(set) var delayedUntil = BootTime.zero
    /// The last time that bytes became pending or that the socket accepted some of them.
    private(set) var lastProgress = BootTime.zero

    /// Creates a client for a non-blocking socket, which is closed when this object is released.
    init(_ descriptor: Int32, now: BootTime) {
        self.descriptor = descriptor
        lastRequest = now
    }

    deinit { LoopbackAcceptor.shutDownAndClose(descriptor) }

    var hasPending: Bool { pending.count > 0 }

    func end() { isFinished = true }

    func reset() {
        LoopbackAcceptor.reset(descriptor)
        isFinished = true
    }

    /// Reads from the socket once and passes the bytes to the closure. Returns false if no more input is available.
    func read(through buffer: UnsafeMutableRawBufferPointer, _ receive: (UnsafeRawBufferPointer) -> Void) -> Bool {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        if count > 0 {
            receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            return !isFinished
        }
        if count == 0 || (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) { isFinished = true }
        return false
    }

    func send(_ bytes: [UInt8], _ overflowPolicy: OverflowPolicy, now: BootTime) {
        guard !isFinished, !bytes.isEmpty else { return }
        guard !hasPending else {
            // A pending reply or the second half of a report must be sent first.
            if overflowPolicy == .drop, pending.count > Self.maximumPendingForReports {
                lostCount += 1
            } else {
                pending.append(contentsOf: bytes)
            }
            return
        }
        switch write(bytes[...]) {
        case .some(bytes.count): break
        case let count?:
            guard overflowPolicy == .enqueue else {
                // gpsd cannot continue after a partial write, so it disconnects the client.
                isFinished = count > 0
                if count == 0 { lostCount += 1 }
                return
            }
            pending.append(contentsOf: Array(bytes[count...]))
            lastProgress = now
        case nil: isFinished = true
        }
    }

    /// Sends the first half of a report. The second half follows at `time`. If `time` is nil, the connection is closed.
    func sendHalf(_ bytes: [UInt8], restAt time: BootTime?, now: BootTime) {
        send(Array(bytes[..<(bytes.count / 2)]), .enqueue, now: now)
        guard let time else { return end() }
        pending.append(contentsOf: Array(bytes[(bytes.count / 2)...]))
        delayedUntil = time
        lastProgress = now
    }

    func flush(now: BootTime) {
        guard hasPending, delayedUntil <= now else { return }
        guard let count = write(pending.elements) else { return end() }
        if count > 0 { lastProgress = now }
        pending.removeFirst(count)
    }

    /// Returns the number of bytes that the socket accepted, or nil if the connection is closed.
    private func write(_ bytes: ArraySlice<UInt8>) -> Int? {
        while true {
            let count = bytes.withUnsafeBytes { systemSend(descriptor, $0) }
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return 0
            default: return nil
            }
        }
    }
}
