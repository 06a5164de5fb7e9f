// SPDX-License-Identifier: Apache-2.0

package import AccessoryFinding
package import DeviceCore
import SystemCalls

/// An open device node or socket that transfers bytes. Calls do not block unless documented otherwise.
///
/// `collectCompletions` is called only on the reactor thread. `read` and `write` may be called from any thread. Two
/// calls to `read` never overlap, nor do two calls to `write`.
package protocol Port: AnyObject, Sendable {
    var descriptor: Int32 { get }
    var path: String { get }
    /// The report format, or `nil` for a byte stream.
    var framing: HIDFraming? { get }
    /// True if poll(2) cannot report whether the port is readable or writable. The reactor then tries both after every
    /// event.
    var hasUnreportedReadiness: Bool { get }
    /// The time for which the system's buffer can hold unread input without losing any, in seconds. If `nil`, only the
    /// reactor reads from the port.
    var inputBufferingTime: Double? { get }
    /// The errno value to report if unsent bytes are lost because the peer disconnected.
    var lossErrno: Int32 { get }
    /// The number of bytes that `write` has accepted but that would be lost if the connection ended now.
    var pendingBytes: Int { get }
    /// True if releasing the port may wait for the device.
    var isSlowToRelease: Bool { get }

    func interest(reads: Bool, writes: Bool) -> Int16

    func collectCompletions()

    /// Reads received bytes. If the port has a report format, reads one complete report.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> PortResult

    /// Passes bytes to the kernel. If the port has a report format, the bytes must be the report number followed by one
    /// complete report. Writing a report may block.
    ///
    /// - Parameter isLast: True if no further bytes are queued.
    func write(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> PortResult

    /// Releases the port after the last use. May block.
    ///
    /// - Parameters:
    ///   - timeout: The maximum time to wait for accepted bytes to be sent, in seconds. Ignored if the port cannot
    ///     report the number of unsent bytes.
    ///   - isAborted: Returns true to end the wait early.
    func release(timeout: Double, isAborted: () -> Bool)
}

/// Default implementations for a byte stream that supports poll(2).
extension Port {
    package var framing: HIDFraming? { nil }
    package var hasUnreportedReadiness: Bool { false }
    package var inputBufferingTime: Double? { nil }
    package var lossErrno: Int32 { EIO }
    package var pendingBytes: Int { 0 }
    /// True by default, because closing the port may make the driver communicate with the device.
    package var isSlowToRelease: Bool { true }

    package func interest(reads: Bool, writes: Bool) -> Int16 { Int16((reads ? POLLIN : 0) | (writes ? POLLOUT : 0)) }

    package func collectCompletions() {}

    package func write(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> PortResult {
        .result(ofWrite: systemWrite(descriptor, bytes), path: path)
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> PortResult {
        .read(descriptor, into: buffer, path: path)
    }
}

package enum PortResult: Sendable {
    /// The number of transferred bytes, or 0 if a report was skipped because its number does not match.
    case bytes(Int)
    case wouldBlock
    case ended(ByteChannelEnd)

    static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, path: String) -> PortResult {
        while true {
            let count = systemRead(descriptor, buffer)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .ended(ByteChannelEnd(.hungUp)) }
            let number = errno
            if number == EAGAIN || number == EWOULDBLOCK { return .wouldBlock }
            if number != EINTR { return .ended(ByteChannelEnd(errno: number, call: "read", path: path)) }
        }
    }

    /// Converts the return value of a write call. If no bytes were written, returns `.wouldBlock`, so that the caller
    /// does not retry immediately. Otherwise, the caller could loop forever, because poll(2) might still report space.
    static func result(ofWrite count: Int, path: String) -> PortResult {
        if count > 0 { return .bytes(count) }
        if count == 0 { return .wouldBlock }
        let number = errno
        if number == EAGAIN || number == EWOULDBLOCK || number == EINTR || number == ENOBUFS { return .wouldBlock }
        return .ended(ByteChannelEnd(errno: number, call: "write", path: path))
    }
}

extension ByteChannelEnd {
    init(errno number: Int32, call: String, path: String) {
        switch number {
        // EPROTO and EILSEQ mean that the device did not respond to a USB transfer, so it has been unplugged.
        case EIO, ENXIO, ENODEV, EPIPE, ECONNRESET, ESHUTDOWN, ENOTCONN, EPROTO, EILSEQ: self.init(.hungUp)
        default:
            let error = DeviceError(
                .inputOutput, "The transfer through \(path) failed. Close the session and open it again.",
                cause: .system(call: call, errno: number))
            self.init(.failed, error: error)
        }
    }
}
