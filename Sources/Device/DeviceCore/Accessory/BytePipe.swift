// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A bounded byte buffer for one direction of a channel, with one writer and one reader. The reader is notified on the
/// writer's thread, and the writer on the reader's thread, with no lock held.
package final class BytePipe: Sendable {
    package enum ReaderEvent: Sendable { case readable, ended }
    package enum WriterEvent: Sendable { case writable, ended }

    private struct State: ~Copyable {
        var ring: ByteRingBuffer
        var end: ByteChannelEnd?
        /// True if the writer must be notified when space becomes available.
        var isWriterWaiting = false
        var reader: (@Sendable (ReaderEvent) -> Void)?
        var writer: (@Sendable (WriterEvent) -> Void)?
    }

    private let state: Mutex<State>
    private let minimumWritableSpace: Int

    /// - Parameter minimumWritableSpace: The number of bytes that must be free before a waiting writer is notified. Use
    ///   a value greater than 1 if waking the writer is expensive.
    package init(capacity: Int, minimumWritableSpace: Int = 1) {
        state = Mutex(State(ring: ByteRingBuffer(capacity: capacity)))
        self.minimumWritableSpace = max(1, min(minimumWritableSpace, capacity))
    }

    package func observeReader(_ receive: (@Sendable (ReaderEvent) -> Void)?) {
        let former = state.withLock { exchange(&$0.reader, with: receive) }
        withExtendedLifetime(former) {}
    }

    package func observeWriter(_ receive: (@Sendable (WriterEvent) -> Void)?) {
        let former = state.withLock { exchange(&$0.writer, with: receive) }
        withExtendedLifetime(former) {}
    }

    package var bytesAvailable: Int { state.withLock { $0.ring.count } }

    /// The free space, in bytes, or 0 after the pipe has ended. If 0 because the pipe is full, the writer is notified
    /// when space becomes available.
    package var spaceAvailable: Int {
        state.withLock { state in
            if state.end != nil { return 0 }
            if state.ring.space == 0 { state.isWriterWaiting = true }
            return state.ring.space
        }
    }

    package var isWriterWaiting: Bool { state.withLock { $0.isWriterWaiting } }
    package var end: ByteChannelEnd? { state.withLock { $0.end } }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> ByteChannelRead {
        consume { ring in ring.read(into: buffer) }
    }

    private func consume(_ body: (inout ByteRingBuffer) -> Int) -> ByteChannelRead {
        let (result, writer) = state.withLock { state -> (ByteChannelRead, (@Sendable (WriterEvent) -> Void)?) in
            guard state.ring.count > 0 else {
                if let end = state.end { return (.ended(end), nil) }
                return (.empty, nil)
            }
            let count = body(&state.ring)
            guard count > 0 else { return (.empty, nil) }
            guard state.isWriterWaiting, state.end == nil, state.ring.space >= minimumWritableSpace else {
                return (.bytes(count), nil)
            }
            state.isWriterWaiting = false
            return (.bytes(count), state.writer)
        }
        writer?(.writable)
        return result
    }

    package func write(_ bytes: UnsafeRawBufferPointer) -> ByteChannelWrite {
        append { ring in ring.write(bytes) }
    }

    /// Lets the closure write directly into the pipe's free memory. The closure returns the number of bytes it wrote.
    /// It is called without the lock, so that the reader can continue to read. No other write method may be called
    /// until it returns.
    ///
    /// If the pipe is full or has ended, returns nil without calling the closure. If the pipe is full, the writer is
    /// notified when space becomes available.
    package func fillUnlocked<Result>(
        _ body: (UnsafeMutableRawBufferPointer) -> (count: Int, result: Result)
    ) -> Result? {
        // The address is an integer, because the lock's closure must not return a pointer into the protected state.
        let reserved = state.withLock { state -> (address: UInt, count: Int) in
            guard state.end == nil else { return (0, 0) }
            guard state.ring.space > 0 else {
                state.isWriterWaiting = true
                return (0, 0)
            }
            let memory = state.ring.reserve()
            return (UInt(bitPattern: memory.baseAddress), memory.count)
        }
        guard reserved.count > 0, let start = UnsafeMutableRawPointer(bitPattern: reserved.address) else { return nil }
        let (count, result) = body(UnsafeMutableRawBufferPointer(start: start, count: reserved.count))
        let reader = state.withLock { state -> (@Sendable (ReaderEvent) -> Void)? in
            let wasEmpty = state.ring.count == 0
            let added = state.ring.commit(state.end == nil ? count : 0)
            if state.ring.space == 0 { state.isWriterWaiting = true }
            return wasEmpty && added > 0 ? state.reader : nil
        }
        reader?(.readable)
        return result
    }

    /// Returns true if the pipe has space for this many bytes. Otherwise, returns false, and the writer is notified
    /// when space becomes available.
    package func hasSpace(for length: Int) -> Bool {
        state.withLock { state in
            if state.ring.space >= length { return true }
            state.isWriterWaiting = true
            return false
        }
    }

    private func append(_ body: (inout ByteRingBuffer) -> Int) -> ByteChannelWrite {
        let (result, reader) = state.withLock { state -> (ByteChannelWrite, (@Sendable (ReaderEvent) -> Void)?) in
            if let end = state.end { return (.ended(end), nil) }
            let wasEmpty = state.ring.count == 0
            let count = body(&state.ring)
            if state.ring.space == 0 { state.isWriterWaiting = true }
            return (.accepted(count), wasEmpty && count > 0 ? state.reader : nil)
        }
        reader?(.readable)
        return result
    }

    /// Ends the pipe, so that nothing more can be written. If `discardsUnread` is true, unread bytes are discarded.
    package func finish(_ end: ByteChannelEnd, discardsUnread: Bool = false) {
        typealias Observers = (reader: (@Sendable (ReaderEvent) -> Void)?, writer: (@Sendable (WriterEvent) -> Void)?)
        let observers = state.withLock { state -> Observers in
            if discardsUnread { state.ring.clear() }
            guard state.end == nil else { return (nil, nil) }
            state.end = end
            return (state.reader, state.writer)
        }
        observers.reader?(.ended)
        observers.writer?(.ended)
    }
}
