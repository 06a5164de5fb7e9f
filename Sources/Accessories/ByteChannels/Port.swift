// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import SystemCalls
package import DeviceCore

/// A node of the kernel's that bytes go through. No call blocks, but for those that say so.
///
/// `read` and `prepare` are called on the reactor's thread only, `write` on any, one at a time.
package protocol Port: AnyObject, Sendable {
    /// What is polled.
    var descriptor: Int32 { get }
    /// For people.
    var path: String { get }
    /// How bytes become reports; nil for a stream.
    var framing: HIDFraming? { get }
    /// True where readiness to read and write is not what poll tells of: both are tried after whatever happens.
    var isTriedAlways: Bool { get }
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

extension Port {
    package var errorOfLoss: Int32 { EIO }
}

/// What became of reading or writing.
package enum PortResult: Sendable {
    /// That many bytes; 0 for a report that is not for us.
    case bytes(Int)
    /// Not now.
    case wait
    /// Never again.
    case ended(ByteChannelEnd)
}
