// SPDX-License-Identifier: Apache-2.0

/// A bidirectional byte stream to an accessory, buffered in both directions. No call blocks, and all calls are
/// thread-safe. Received bytes can still be read after the connection has ended.
public protocol ByteChannel: AnyObject, Sendable {
    /// Reads received bytes.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> ByteChannelRead

    /// Writes as many bytes as fit into the buffer.
    func write(_ bytes: UnsafeRawBufferPointer) -> ByteChannelWrite

    /// The current status. If it reports that no space is available, the observer receives `writable` as soon as space
    /// is available again. The getter may be called with locks held, so it must neither call an observer nor wait for
    /// one.
    var status: ByteChannelStatus { get }

    /// Sets the channel's only observer, which is called on the thread that caused the event. Passing nil removes the
    /// observer.
    ///
    /// The observer may be called during `read` or `write` on this channel or on a peer in the same process. Do not
    /// call these methods while holding a lock that the observer acquires. The observer is not notified of conditions
    /// that already exist, such as unread bytes, so check `status` after this call. When this method returns, another
    /// thread may still be calling the previous observer.
    func observe(_ receive: (@Sendable (ByteChannelEvent) -> Void)?)

    /// Closes this side of the connection. Bytes already written are still sent in the background, but only for a
    /// limited time. After that, the port is released. Unread bytes are lost, and the observer is no longer notified.
    /// Further calls have no effect.
    func close()
}

extension ByteChannel {
    package var bytesAvailable: Int { status.bytesAvailable }
    package var spaceAvailable: Int { status.spaceAvailable }
    package var end: ByteChannelEnd? { status.end }
}

/// A channel that the app's callback executor can read directly, so that no other thread needs to wake up.
package protocol PollableChannel: ByteChannel {
    /// Sets the executor that calls the observer and, if possible, reads from the channel. If the executor is nil, the
    /// channel uses its own thread for both. The observer itself must not read from the channel. Like `status`, may be
    /// called with locks held.
    func setExecutor(_ executor: ExecutorIdentity?)

    /// Immediately moves any bytes that have arrived into the input buffer. Needed by apps that check the channel in a
    /// loop, because the loop keeps the executor from running.
    func readPendingInput()
}

/// A channel's state at one point in time.
public struct ByteChannelStatus: Sendable {
    /// The number of bytes that can be read without waiting.
    public var bytesAvailable: Int
    /// The number of bytes that can be written without waiting, or 0 once the connection has ended.
    public var spaceAvailable: Int
    /// Describes how the connection ended, or nil while the connection is open. No further bytes arrive after the end.
    public var end: ByteChannelEnd?

    /// Creates a status.
    public init(bytesAvailable: Int, spaceAvailable: Int, end: ByteChannelEnd?) {
        (self.bytesAvailable, self.spaceAvailable, self.end) = (bytesAvailable, spaceAvailable, end)
    }

    package static var closed: ByteChannelStatus {
        ByteChannelStatus(bytesAvailable: 0, spaceAvailable: 0, end: ByteChannelEnd(.closed))
    }
}

/// The result of a read.
public enum ByteChannelRead: Sendable {
    /// The number of bytes read, at least 1.
    case bytes(Int)
    /// No bytes are available yet.
    case empty
    /// The connection has ended, and all received bytes have been read.
    case ended(ByteChannelEnd)
}

/// The result of a write.
public enum ByteChannelWrite: Sendable {
    /// The number of bytes accepted, or 0 if the buffer is full.
    case accepted(Int)
    /// No bytes were accepted, because the connection has ended.
    case ended(ByteChannelEnd)
}

/// An event from a channel.
public enum ByteChannelEvent: Sendable {
    /// The input buffer was empty and now contains bytes.
    case readable
    /// Space became available after an incomplete write, or after `status` reported no space.
    case writable
    /// The connection has ended. This event is reported only once. Unread bytes may still be available.
    case ended
}

/// Describes how a connection to an accessory ended.
public struct ByteChannelEnd: Sendable {
    /// The reasons a connection can end.
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

    /// The reason the connection ended.
    public let reason: Reason
    /// The error, or nil if the connection did not fail and no bytes were lost.
    public let error: DeviceError?
    /// The number of bytes accepted but not yet passed to the system when the connection ended.
    public let unsentBytes: Int

    /// Creates a description of how a connection ended.
    public init(_ reason: Reason, error: DeviceError? = nil, unsentBytes: Int = 0) {
        (self.reason, self.error, self.unsentBytes) = (reason, error, unsentBytes)
    }
}
