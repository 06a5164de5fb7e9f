// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import LoopbackServer
import SystemCalls

/// A client connection. Used only on the server's thread.
final class HTTPConnection {
    struct Page {
        let id: Int
        let hasToken: Bool
        var queue = PageOutputQueue()
        var reader = WebSocketDecoder()
        var pendingCommandCount = 0
        var lastReceived: BootTime
    }

    private static let maximumBytesPerSend = 65_536
    private static let maximumBytesPerWrite = 8 * maximumBytesPerSend

    let descriptor: Int32
    var input: [UInt8] = []
    /// The response to an HTTP request. Its first `sent` bytes have been sent.
    private(set) var output: [UInt8] = []
    private var sent = 0
    /// The WebSocket state, or nil before the upgrade.
    var page: Page?
    /// The time at which the current time limit expires or the next ping becomes due.
    var deadline: BootTime
    /// True if the server ignores further input and closes the connection once the remaining output has been sent.
    var isClosing = false
    var isClosed = false
    /// True if the socket's send buffer is full.
    private(set) var isBlocked = false

    init(_ descriptor: Int32, deadline: BootTime) { (self.descriptor, self.deadline) = (descriptor, deadline) }

    deinit { LoopbackAcceptor.shutDownAndClose(descriptor) }

    var hasOutput: Bool { sent < output.count || page.map { !$0.queue.isEmpty } ?? false }

    /// True if the server may read from the connection. It does not read from an HTTP connection while a response is
    /// pending. It does not read from a WebSocket while too many commands or responses are queued.
    var isReadEnabled: Bool {
        guard !isClosing, !isClosed else { return false }
        guard let page else { return sent == output.count && input.count <= HTTPRequest.limit }
        return page.pendingCommandCount < 32 && page.queue.responseCount < PageOutputQueue.responseLimit
    }

    /// True if the connection is not a WebSocket and has no response to send. The server may close it to make room for
    /// a new connection.
    var isIdle: Bool { page == nil && !hasOutput }

    func read(through buffer: UnsafeMutableRawBufferPointer) {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        if count > 0 {
            input.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        } else if count == 0 || (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) {
            // No response is lost by closing the connection here, because the server reads from it only after the
            // previous response has been sent.
            isClosed = true
        }
    }

    func respond(_ bytes: [UInt8], closesAfterwards: Bool) {
        output = bytes
        sent = 0
        isClosing = isClosing || closesAfterwards
    }

    /// Sends pending output until the socket's buffer is full or a limit is reached. The limit prevents a single client
    /// from delaying the others.
    func write() {
        isBlocked = false
        var remaining = Self.maximumBytesPerWrite
        while remaining > 0, !isClosed, hasOutput {
            let count = writeChunk()
            if count <= 0 { return }
            remaining -= count
        }
        if !hasOutput {
            output = []
            sent = 0
            if isClosing { isClosed = true }
        }
    }

    /// Sends part of the output. ``write()`` continues only if the returned number is positive.
    private func writeChunk() -> Int {
        var (result, errorNumber) = (0, Int32(0))
        func send(_ bytes: UnsafeRawBufferPointer) -> Int {
            result = systemSend(descriptor, bytes)
            if result < 0 { errorNumber = errno }
            return max(result, 0)
        }
        if sent < output.count {
            sent += output[sent...].prefix(Self.maximumBytesPerSend).withUnsafeBytes(send)
        } else {
            _ = page?.queue.send(atMost: Self.maximumBytesPerSend, send)
        }
        guard result < 0 else { return result }
        switch errorNumber {
        case EAGAIN, EWOULDBLOCK: isBlocked = true
        case EINTR: return 1
        default: isClosed = true
        }
        return result
    }
}
