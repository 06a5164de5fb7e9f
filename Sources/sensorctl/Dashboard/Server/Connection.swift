// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import LoopbackServer
import SystemCalls

/// One client: its socket, what has come in and what goes out. It belongs to the server's thread.
final class Connection {
    /// What a page is told and what it tells.
    struct Page {
        let id: Int
        /// True when it came with the token.
        let hasToken: Bool
        var queue = PageQueue()
        var reader = WebSocketReader()
        /// Commands that nobody has answered.
        var waiting = 0
        var lastHeard: BootTime
    }

    /// What is sent at most in one call, and in one turn.
    private static let portion = 65_536
    private static let turn = 8 * portion

    let descriptor: Int32
    var input: [UInt8] = []
    /// The answer to a request, and how much of it is sent.
    private(set) var output: [UInt8] = []
    private var sent = 0
    /// Nil until it has become a page.
    var page: Page?
    /// When it has to be done with what it does.
    var deadline: BootTime
    /// True when nothing more is read, and it ends with what is sent.
    var isEnding = false
    var isOver = false
    /// True while the socket takes no more.
    private(set) var isBlocked = false

    init(_ descriptor: Int32, deadline: BootTime) {
        self.descriptor = descriptor
        self.deadline = deadline
    }

    deinit { LoopbackDoor.hangUp(descriptor) }

    /// True when there is something to send.
    var hasOutput: Bool { sent < output.count || page.map { !$0.queue.isEmpty } ?? false }

    /// True when it may be read: a request at a time, and no more commands than are answered.
    var takesInput: Bool {
        guard !isEnding, !isOver else { return false }
        guard let page else { return sent == output.count && input.count <= HTTPRequest.limit }
        return page.waiting < 32 && page.queue.answers < PageQueue.answerLimit
    }

    /// True for one that nobody misses: it has not asked for anything, or waits to ask for more.
    var isIdle: Bool { page == nil && !hasOutput }

    func read(through buffer: UnsafeMutableRawBufferPointer) {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        if count > 0 {
            input.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        } else if count == 0 || (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) {
            // What was asked for before is sent: nothing is read until then.
            isOver = true
        }
    }

    /// Sends an answer.
    func answer(_ bytes: [UInt8], thenEnds: Bool) {
        output = bytes
        sent = 0
        isEnding = isEnding || thenEnds
    }

    /// Sends what waits, as far as the socket takes it; other clients get their turn too.
    func write() {
        isBlocked = false
        var rest = Self.turn
        while rest > 0, !isOver, hasOutput {
            let count = writeSome()
            if count <= 0 { return }
            rest -= count
        }
        if !hasOutput {
            output = []
            sent = 0
            if isEnding { isOver = true }
        }
    }

    private func writeSome() -> Int {
        var (result, number) = (0, Int32(0))
        func send(_ bytes: UnsafeRawBufferPointer) -> Int {
            result = systemSend(descriptor, bytes)
            if result < 0 { number = errno }
            return max(result, 0)
        }
        if sent < output.count {
            sent += output[sent...].prefix(Self.portion).withUnsafeBytes(send)
        } else {
            _ = page?.queue.send(atMost: Self.portion, send)
        }
        guard result < 0 else { return result }
        switch number {
        case EAGAIN, EWOULDBLOCK: isBlocked = true
        case EINTR: return 1
        default: isOver = true
        }
        return result
    }
}
