// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import LoopbackServer
import SystemCalls
import Trace

/// A client of the simulated gpsd. Confined to the server's thread.
final class GPSDClient {
    /// The handling of a report that does not fit into the socket's send buffer.
    enum Manner {
        /// Drops the report. If a part of it has been sent, disconnects the client, as gpsd does.
        case orLose
        /// Queues the report.
        case orWait
    }

    /// The number of pending bytes above which further reports are dropped with `orLose`.
    private static let mostBehind = 65_536

    let descriptor: Int32
    /// True if the client must be disconnected after all pending bytes have been sent.
    var endsWhenSent = false
    var policy = GPSDWatch()
    var lastRequest: BootTime
    /// Whether the client has sent a request that requires a reply.
    var hasAsked = false
    /// The time of the greeting; nil after it has been sent.
    var greetsAt: BootTime?
    private(set) var lostCount: Int64 = 0
    private(set) var isOver = false
    /// The bytes that must be sent before anything else.
    private(set) var pending = Backlog<UInt8>()
    /// The time until which the pending bytes are held back.
    private(set) var heldUntil = BootTime.zero
    /// The time at which the socket last accepted pending bytes.
    private(set) var lastProgress = BootTime.zero

    /// Creates a client.
    ///
    /// - Parameter descriptor: A non-blocking socket, which is closed with this object.
    init(_ descriptor: Int32, now: BootTime) {
        self.descriptor = descriptor
        lastRequest = now
    }

    deinit { LoopbackDoor.hangUp(descriptor) }

    var hasPending: Bool { pending.count > 0 }

    func end() { isOver = true }

    /// Resets the connection.
    func abort() {
        LoopbackDoor.reset(descriptor)
        isOver = true
    }

    /// Reads once from the socket and passes the bytes to the closure. Returns false if no more input is available.
    func read(through buffer: UnsafeMutableRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Void) -> Bool {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        if count > 0 {
            take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            return !isOver
        }
        if count == 0 || (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) { isOver = true }
        return false
    }

    /// Sends a line. If the socket's send buffer is full, `manner` determines the handling.
    func send(_ bytes: [UInt8], _ manner: Manner, now: BootTime) {
        guard !isOver, !bytes.isEmpty else { return }
        guard !hasPending else {
            // A pending reply, or the second half of a report, must be sent first.
            if manner == .orLose, pending.count > Self.mostBehind {
                lostCount += 1
            } else {
                pending.append(contentsOf: bytes)
            }
            return
        }
        switch write(bytes[...]) {
        case .some(bytes.count): break
        case let count?:
            guard manner == .orWait else {
                // gpsd cannot continue after a partial write.
                isOver = count > 0
                if count == 0 { lostCount += 1 }
                return
            }
            pending.append(contentsOf: Array(bytes[count...]))
            lastProgress = now
        case nil: isOver = true
        }
    }

    /// Sends the first half of a report. The second half follows at the given time; if the time is nil, the connection
    /// ends.
    func sendHalf(_ bytes: [UInt8], restAt time: BootTime?, now: BootTime) {
        send(Array(bytes[..<(bytes.count / 2)]), .orWait, now: now)
        guard let time else { return end() }
        pending.append(contentsOf: Array(bytes[(bytes.count / 2)...]))
        heldUntil = time
        lastProgress = now
    }

    func flush(now: BootTime) {
        guard hasPending, heldUntil <= now else { return }
        guard let count = write(pending.all) else { return end() }
        if count > 0 { lastProgress = now }
        pending.removeFirst(count)
    }

    /// Returns the number of bytes that the socket accepted; nil if the connection is closed.
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
