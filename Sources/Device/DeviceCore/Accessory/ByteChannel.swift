// SPDX-License-Identifier: Apache-2.0

/// Bytes to and from an accessory. No call blocks; every call may be made on any thread.
///
/// Both directions are buffered. What has come in before the connection ended can still be read afterwards.
public protocol ByteChannel: AnyObject, Sendable {
    /// Takes bytes that have come in.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> ByteChannelRead

    /// Hands over bytes to be sent, as many as there is space for.
    func write(_ bytes: UnsafeRawBufferPointer) -> ByteChannelWrite

    /// How the channel is at this moment. Who finds no space here is told when there is some.
    var status: ByteChannelStatus { get }

    /// Has the closure told of what changes, on the thread that brought it about; nil for nobody. Where the other side
    /// lives in this process that may be inside of its `read` or `write`, and if it answers at once, inside of one of
    /// this side: call neither with a lock held that the closure takes. What holds already is not told: ask for it
    /// after this call. There is one observer. A call that is running on another thread when it is replaced may still end
    /// after this returns.
    func observe(_ receive: (@Sendable (ByteChannelEvent) -> Void)?)

    /// Ends the connection from this side. What was written before is still sent, in the background and for a bounded
    /// time; then the port is free. What has come in and was not read is lost. The observer is told nothing more. Further
    /// calls do nothing.
    func close()
}

extension ByteChannel {
    /// How many bytes can be read without waiting.
    public var bytesAvailable: Int { status.bytesAvailable }

    /// How many bytes can be written without waiting; 0 once the connection is over.
    public var spaceAvailable: Int { status.spaceAvailable }

    /// How the connection ended; nil while it lives. Bytes may still be there to be read.
    public var end: ByteChannelEnd? { status.end }
}

/// A channel that can be read by the place where the app hears of what comes in: one thread less is woken.
package protocol LendableChannel: ByteChannel {
    /// Has that place read, when it can; nil for the thread of the channel. The observer is told there. It must not read.
    func deliver(in place: DirectPlace?)

    /// Takes in what the place would find when it looks. For an app that asks and does not let its place look meanwhile.
    func takeIn()
}

/// How a channel is at a moment.
public struct ByteChannelStatus: Sendable {
    /// How many bytes can be read without waiting.
    public var bytesAvailable: Int
    /// How many bytes can be written without waiting; 0 once the connection is over.
    public var spaceAvailable: Int
    /// How the connection ended; nil while it lives. Then no more bytes come than ``bytesAvailable`` says.
    public var end: ByteChannelEnd?

    /// A status of those parts.
    public init(bytesAvailable: Int, spaceAvailable: Int, end: ByteChannelEnd?) {
        self.bytesAvailable = bytesAvailable
        self.spaceAvailable = spaceAvailable
        self.end = end
    }

    /// What is left of a channel that this side has closed.
    public static var closed: ByteChannelStatus {
        ByteChannelStatus(bytesAvailable: 0, spaceAvailable: 0, end: ByteChannelEnd(.closed))
    }
}

/// What reading gave.
public enum ByteChannelRead: Sendable {
    /// That many bytes, at least one.
    case bytes(Int)
    /// Nothing yet.
    case empty
    /// Nothing any more: all that had come in was read.
    case ended(ByteChannelEnd)
}

/// What became of bytes that were to be written.
public enum ByteChannelWrite: Sendable {
    /// That many of them were taken, 0 when the buffer is full.
    case taken(Int)
    /// None were taken: the connection is over.
    case ended(ByteChannelEnd)
}

/// What happens to a channel.
public enum ByteChannelEvent: Sendable {
    /// There were no bytes to be read, and now there are.
    case readable
    /// A write found less space than it needed, or a look at `status` found none, and now there is some.
    case writable
    /// The connection is over. Told once. Bytes may still be there to be read.
    case ended
}

/// How a connection to an accessory ended.
public struct ByteChannelEnd: Sendable {
    /// The ways to end.
    public enum Reason: Sendable, Hashable {
        /// This side closed it.
        case closed
        /// The other side closed it, or hung up.
        case hungUp
        /// The accessory was unplugged.
        case detached
        /// Reading or writing failed.
        case failed
    }

    /// The way in which it ended.
    public let reason: Reason
    /// What went wrong, for a connection that failed or lost bytes.
    public let error: DeviceError?
    /// How many bytes had been taken by `write` and were not handed to the system when it ended.
    public let unsentBytes: Int

    /// An end of that kind.
    public init(_ reason: Reason, error: DeviceError? = nil, unsentBytes: Int = 0) {
        self.reason = reason
        self.error = error
        self.unsentBytes = unsentBytes
    }
}
