// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import LoopbackServer
import SystemCalls
import Trace

/// One client of the simulated gpsd. It belongs to the server's thread.
final class GPSDClient {
    /// What becomes of a report that the socket does not take.
    enum Manner {
        /// It is lost, and a client that took a part of one is cut off, as gpsd does.
        case orLose
        /// It waits.
        case orWait
    }

    /// The most bytes that wait where reports may be lost.
    private static let mostBehind = 65_536

    let descriptor: Int32
    /// True when it is to be closed as soon as it has taken what waits.
    var endsWhenSent = false
    var policy = GPSDWatch()
    var lastRequest: BootTime
    /// False as long as it has asked for nothing that is answered.
    var hasAsked = false
    /// When it is greeted; nil when it was.
    var greetsAt: BootTime?
    private(set) var lostCount: Int64 = 0
    private(set) var isOver = false
    /// What has to be sent before anything else.
    private(set) var pending = Backlog<UInt8>()
    /// Until when that is held back.
    private(set) var heldUntil = BootTime.zero
    /// When the client last took something of what waits.
    private(set) var lastProgress = BootTime.zero

    /// - Parameter descriptor: a socket that does not block; it is closed with this object.
    init(_ descriptor: Int32, now: BootTime) {
        self.descriptor = descriptor
        lastRequest = now
    }

    deinit { LoopbackDoor.hangUp(descriptor) }

    var hasPending: Bool { pending.count > 0 }

    func end() { isOver = true }

    /// Ends it abruptly: the client sees a reset.
    func abort() {
        LoopbackDoor.reset(descriptor)
        isOver = true
    }

    /// Hands what one read brings to the closure; false when there is nothing more to read now.
    func read(through buffer: UnsafeMutableRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Void) -> Bool {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        if count > 0 {
            take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            return !isOver
        }
        if count == 0 || (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) { isOver = true }
        return false
    }

    /// Sends, or does what the manner says.
    func send(_ bytes: [UInt8], _ manner: Manner, now: BootTime) {
        guard !isOver, !bytes.isEmpty else { return }
        guard !hasPending else {
            // Behind an answer, or a report of which half was sent.
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
                // gpsd sees no way to go on behind half a report.
                isOver = count > 0
                if count == 0 { lostCount += 1 }
                return
            }
            pending.append(contentsOf: Array(bytes[count...]))
            lastProgress = now
        case nil: isOver = true
        }
    }

    /// Sends half of it; the rest at that time, or never.
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

    /// How many bytes the socket took; nil when the client is gone.
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
