// SPDX-License-Identifier: Apache-2.0

/// A bidirectional byte stream to an accessory. No call blocks, and all calls are thread-safe.
///
/// Both directions are buffered. Bytes received before the connection ended can still be read afterwards.
public protocol ByteChannel: AnyObject, Sendable {
    /// Reads received bytes.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> ByteChannelRead

    /// Writes as many bytes as fit into the buffer.
    func write(_ bytes: UnsafeRawBufferPointer) -> ByteChannelWrite

    /// The current state of the channel. If it reports no space, the observer is notified when space becomes available.
    var status: ByteChannelStatus { get }

    /// Sets the channel's only observer; nil removes it. The observer is called on the thread that caused the event.
    ///
    /// If the peer is in the same process, that thread may be inside the peer's `read` or `write`. If the peer responds
    /// immediately, the thread may also be inside this channel's `read` or `write`. Do not call these methods while
    /// holding a lock that the closure acquires. Conditions that already hold are not reported; check `status` after
    /// this call. After the observer is replaced, a call to the previous observer may still be in progress on another
    /// thread when this method returns.
    func observe(_ receive: (@Sendable (ByteChannelEvent) -> Void)?)

    /// Closes this side of the connection. Bytes already written are still sent in the background for a limited time;
    /// then the port is released. Received bytes that have not been read are lost. The observer is no longer notified.
    /// Further calls have no effect.
    func close()
}

extension ByteChannel {
    package var bytesAvailable: Int { status.bytesAvailable }

    /// The number of bytes that can be written without waiting; 0 after the connection has ended.
    package var spaceAvailable: Int { status.spaceAvailable }

    /// The end of the connection; nil while the connection is open. Unread bytes may still be available.
    package var end: ByteChannelEnd? { status.end }
}

/// A channel that the executor of the app's callbacks can read directly, which avoids waking another thread.
package protocol PollableChannel: ByteChannel {
    /// Sets the executor that reads the channel, if it can, and on which the observer is called; nil selects the
    /// channel's own thread. The observer must not read.
    func setExecutor(_ place: ExecutorIdentity?)

    /// Reads the bytes that the executor would find when it next polls. Needed by apps that check the channel
    /// repeatedly without returning to the executor.
    func readPendingInput()
}

/// The state of a channel at one point in time.
public struct ByteChannelStatus: Sendable {
    /// The number of bytes that can be read without waiting.
    public var bytesAvailable: Int
    /// The number of bytes that can be written without waiting; 0 after the connection has ended.
    public var spaceAvailable: Int
    /// The end of the connection; nil while the connection is open. Once the connection has ended, no bytes arrive
    /// beyond ``bytesAvailable``.
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
    /// The number of bytes read, at least 1.
    case bytes(Int)
    /// No bytes are available yet.
    case empty
    /// The connection has ended and all received bytes have been read.
    case ended(ByteChannelEnd)
}

/// The result of a write.
public enum ByteChannelWrite: Sendable {
    /// The number of bytes accepted; 0 if the buffer is full.
    case accepted(Int)
    /// No bytes were accepted because the connection has ended.
    case ended(ByteChannelEnd)
}

/// An event of a channel.
public enum ByteChannelEvent: Sendable {
    /// The input buffer was empty and now contains bytes.
    case readable
    /// Space became available after an incomplete write, or after `status` reported no space.
    case writable
    /// The connection has ended. Reported once. Unread bytes may still be available.
    case ended
}

/// The end of a connection to an accessory, with the reason and any error.
public struct ByteChannelEnd: Sendable {
    /// The reasons why a connection ended.
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

    /// The reason why the connection ended.
    public let reason: Reason
    /// The error if the connection failed or bytes were lost; otherwise nil.
    public let error: DeviceError?
    /// The number of bytes that `write` accepted but that were not passed to the system before the connection ended.
    public let unsentBytes: Int

    /// Creates a description of a connection's end.
    public init(_ reason: Reason, error: DeviceError? = nil, unsentBytes: Int = 0) {
        self.reason = reason
        self.error = error
        self.unsentBytes = unsentBytes
    }
}
