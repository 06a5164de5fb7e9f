// SPDX-License-Identifier: Apache-2.0

package import AccessoryFinding
package import DeviceCore
import SystemCalls

/// A node of the kernel's that bytes go through. No call blocks, but for those that say so.
///
/// `prepare` is called on the reactor's thread only, `read` and `write` on any, one of each at a time.
package protocol Port: AnyObject, Sendable {
    /// What is polled.
    var descriptor: Int32 { get }
    /// For people.
    var path: String { get }
    /// How bytes become reports; nil for a stream.
    var framing: HIDFraming? { get }
    /// True where readiness to read and write is not what poll tells of: both are tried after whatever happens.
    var isTriedAlways: Bool { get }
    /// Seconds for which what comes in surely waits until somebody reads it; nil where only the reactor may read.
    var inputPatience: Double? { get }
    /// What the system says when it has lost bytes because the other side is gone.
    var errorOfLoss: Int32 { get }
    /// Bytes that `write` took and the system may still lose.
    var pendingBytes: Int { get }
    /// True where giving the port back may wait for the device.
    var isSlowToRelease: Bool { get }

    /// What to poll for.
    func interest(reads: Bool, writes: Bool) -> Int16

    /// Takes in what the kernel has done.
    func prepare()

    /// Takes bytes that have come in; a whole report where there is framing.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> PortResult

    /// Hands bytes to the kernel; a whole report, with its number in front, where there is framing. That may block then.
    ///
    /// - Parameter isLast: Nothing waits behind these bytes.
    func write(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> PortResult

    /// Gives the port back, once, when nobody uses it any more. Lets the system send for that many seconds what it has
    /// taken, if the port can tell, unless that is given up meanwhile. May block.
    func release(patience: Double, isGivenUp: () -> Bool)
}

/// What holds for a stream that poll tells of, which is what most ports are.
extension Port {
    package var framing: HIDFraming? { nil }
    package var isTriedAlways: Bool { false }
    package var inputPatience: Double? { nil }
    package var errorOfLoss: Int32 { EIO }
    package var pendingBytes: Int { 0 }
    /// A driver may talk to the device when the port is closed.
    package var isSlowToRelease: Bool { true }

    package func interest(reads: Bool, writes: Bool) -> Int16 {
        Int16((reads ? POLLIN : 0) | (writes ? POLLOUT : 0))
    }

    package func prepare() {}

    package func write(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> PortResult {
        .written(systemWrite(descriptor, bytes), path: path)
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> PortResult {
        .reading(descriptor, buffer, path: path)
    }
}

/// What became of reading or writing.
package enum PortResult: Sendable {
    /// That many bytes; 0 for a report that is not for us.
    case bytes(Int)
    /// Not now.
    case wait
    /// Never again.
    case ended(ByteChannelEnd)

    /// Reads once. Nothing to be read is different from the end, which reads as no bytes.
    static func reading(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer, path: String) -> PortResult {
        while true {
            let count = systemRead(descriptor, buffer)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .ended(ByteChannelEnd(.hungUp)) }
            let number = errno
            if number == EAGAIN || number == EWOULDBLOCK { return .wait }
            if number != EINTR { return .ended(ByteChannelEnd(errno: number, call: "read", path: path)) }
        }
    }

    /// What a call that writes has returned. Nothing taken may come with a poll that tells of space: who asks again at once
    /// would do so without an end.
    static func written(_ count: Int, path: String) -> PortResult {
        if count > 0 { return .bytes(count) }
        if count == 0 { return .wait }
        let number = errno
        if number == EAGAIN || number == EWOULDBLOCK || number == EINTR || number == ENOBUFS { return .wait }
        return .ended(ByteChannelEnd(errno: number, call: "write", path: path))
    }
}

extension ByteChannelEnd {
    /// What an error of the kernel's means for the connection.
    init(errno number: Int32, call: String, path: String) {
        switch number {
        // A transfer that an unplugged USB device does not answer fails with EPROTO or EILSEQ.
        case EIO, ENXIO, ENODEV, EPIPE, ECONNRESET, ESHUTDOWN, ENOTCONN, EPROTO, EILSEQ:
            self.init(.hungUp)
        default:
            let error = DeviceError(
                .inputOutput, "Talking through \(path) failed. Close the session and open it again.",
                cause: .system(call: call, errno: number))
            self.init(.failed, error: error)
        }
    }
}
