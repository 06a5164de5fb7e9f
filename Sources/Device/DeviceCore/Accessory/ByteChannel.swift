// SPDX-License-Identifier: Apache-2.0

/// A bidirectional byte stream to an accessory. No call blocks, and all calls are thread-safe.
///
/// Both directions are buffered. Bytes that were received before the connection ended can still be read afterwards.
public protocol ByteChannel: AnyObject, Sendable {
    /// Reads received bytes.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> ByteChannelRead

    /// Writes as many bytes as the buffer has space for.
    func write(_ bytes: UnsafeRawBufferPointer) -> ByteChannelWrite

    /// The current state of the channel. If it reports no space, the observer is notified when space becomes available.
    var status: ByteChannelStatus { get }

    /// Sets the observer, or removes it if the closure is nil. There is one observer. It is called on the thread that
    /// caused the event.
    ///
    /// If the peer is in the same process, that thread may be inside the peer's `read` or `write` and, if the peer
    /// responds immediately, inside a call of this channel's `read` or `write`. Do not call these methods while holding
    /// a lock that the closure acquires. Conditions that already hold are not reported; check `status` after this call.
    /// When the observer is replaced, a call to the previous one may still be in progress on another thread after this
    /// method returns.
    func observe(_ receive: (@Sendable (ByteChannelEvent) -> Void)?)

    /// Closes the connection from this side. Bytes written before are still sent in the background, for a limited time;
    /// then the port is released. Received bytes that were not read are lost. The observer is not notified any more.
    /// Further calls do nothing.
    func close()
}

extension ByteChannel {
    package var bytesAvailable: Int { status.bytesAvailable }

    /// The number of bytes that can be written without waiting; 0 after the end of the connection.
    package var spaceAvailable: Int { status.spaceAvailable }

    /// The end of the connection; nil while it is open. Unread bytes may still be available.
    package var end: ByteChannelEnd? { status.end }
}

/// A channel that the executor of the app's callbacks can read directly, which avoids waking another thread.
package protocol PollableChannel: ByteChannel {
    /// Sets the executor that reads the channel if it can and on which the observer is called; nil selects the thread
    /// of the channel. The observer must not read.
    func setExecutor(_ place: DirectPlace?)

    /// Reads the bytes that the executor would find in its next poll. For an app that polls the channel without
    /// returning to its executor.
    func readPendingInput()
}

/// The state of a channel at one point in time.
public struct ByteChannelStatus: Sendable {
    /// The number of bytes that can be read without waiting.
    public var bytesAvailable: Int
    /// The number of bytes that can be written without waiting; 0 after the end of the connection.
    public var spaceAvailable: Int
    /// The end of the connection; nil while it is open. After the end, no bytes arrive beyond ``bytesAvailable``.
    public var end: ByteChannelEnd?

    /// Creates a status.
    public init(bytesAvailable: Int, spaceAvailable: Int, end: ByteChannelEnd?) {
        self.bytesAvailable = bytesAvailable
        self.spaceAvailable = spaceAvailable
        self.end = end
    }

    package static var closed: ByteChannelStatus {
        ByteChannelStatus(bytesAvailable: 0, spaceAvailable: 0, end: ByteChannelEnd(.closed))
    }
}

/// The result of a read.
public enum ByteChannelRead: Sendable {
    /// The number of bytes that were read, at least 1.
    case bytes(Int)
    /// No bytes are available yet.
    case empty
    /// The connection has ended and all received bytes were read.
    case ended(ByteChannelEnd)
}

/// The result of a write.
public enum ByteChannelWrite: Sendable {
    /// The number of bytes that were accepted; 0 if the buffer is full.
    case accepted(Int)
    /// No bytes were accepted because the connection has ended.
    case ended(ByteChannelEnd)
}

/// An event of a channel.
public enum ByteChannelEvent: Sendable {
    /// The input buffer was empty and now contains bytes.
    case readable
    /// Space became available after a write was incomplete or `status` reported no space.
    case writable
    /// The connection has ended. Reported once. Unread bytes may still be available.
    case ended
}

/// The reason for the end of a connection to an accessory.
public struct ByteChannelEnd: Sendable {
    /// The reasons for the end of a connection.
    public enum Reason: Sendable, Hashable {
        /// This side closed the connection.
        case closed
        /// The other side closed the connection or hung up.
        case hungUp
        /// The accessory was detached.
        case detached
        /// Reading or writing failed.
        case failed
    }

    /// The reason for the end.
    public let reason: Reason
    /// The error, if the connection failed or lost bytes; otherwise nil.
    public let error: DeviceError?
    /// The number of bytes that `write` had accepted but that were not passed to the system before the end.
    public let unsentBytes: Int

    /// Creates an end of a connection.
    public init(_ reason: Reason, error: DeviceError? = nil, unsentBytes: Int = 0) {
        self.reason = reason
        self.error = error
        self.unsentBytes = unsentBytes
    }
}
