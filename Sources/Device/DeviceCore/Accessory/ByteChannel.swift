// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Bytes to and from an accessory. No call blocks; every call may be made on any thread.
///
/// Both directions are buffered. What has come in before the connection ended can still be read afterwards.
public protocol ByteChannel: AnyObject, Sendable {
    /// Takes bytes that have come in.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> ByteChannelRead

    /// Hands over bytes to be sent, as many as there is space for.
    func write(_ bytes: UnsafeRawBufferPointer) -> ByteChannelWrite

    /// How many bytes can be read without waiting.
    var bytesAvailable: Int { get }

    /// How many bytes can be written without waiting; 0 once the connection is over.
    var spaceAvailable: Int { get }

    /// How the connection ended; nil while it lives. Bytes may still be there to be read.
    var end: ByteChannelEnd? { get }

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
    /// A write found less space than it needed, or a look at `spaceAvailable` found none, and now there is some.
    case writable
    /// The connection is over. Told once. Bytes may still be there to be read.
    case ended
}
