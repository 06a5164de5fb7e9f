// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One direction of a channel: a writer, a reader, bounded memory between them.
///
/// Tells each side of what the other did, without a lock and on the thread that did it.
package final class BytePipe: Sendable {
    /// What the reader's side is told.
    package enum ReaderEvent: Sendable { case readable, ended }
    /// What the writer's side is told.
    package enum WriterEvent: Sendable { case writable, ended }

    private struct State: ~Copyable {
        var ring: ByteRing
        var end: ByteChannelEnd?
        /// The writer found too little space.
        var isWriterWaiting = false
        var reader: (@Sendable (ReaderEvent) -> Void)?
        var writer: (@Sendable (WriterEvent) -> Void)?
    }

    private let state: Mutex<State>
    private let spaceToTell: Int

    /// - Parameter spaceToTell: How much space there has to be before a writer that waits is told; more than a byte where
    ///   waking it is dear.
    package init(capacity: Int, spaceToTell: Int = 1) {
        state = Mutex(State(ring: ByteRing(capacity: capacity)))
        self.spaceToTell = max(1, min(spaceToTell, capacity))
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

    /// 0 after the end; the writer is told when there is some again.
    package var spaceAvailable: Int {
        state.withLock { state in
            if state.end != nil { return 0 }
            if state.ring.space == 0 { state.isWriterWaiting = true }
            return state.ring.space
        }
    }

    /// The writer found too little space, and has not been told of more yet.
    package var isWriterWaiting: Bool { state.withLock { $0.isWriterWaiting } }

    package var end: ByteChannelEnd? { state.withLock { $0.end } }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> ByteChannelRead {
        take { ring in ring.read(into: buffer) }
    }

    /// Hands bytes from the front to the closure, which returns how many it took.
    package func take(_ body: (UnsafeRawBufferPointer) -> Int) -> ByteChannelRead {
        take { ring in ring.take(body) }
    }

    private func take(_ body: (inout ByteRing) -> Int) -> ByteChannelRead {
        let (result, writer) = state.withLock { state -> (ByteChannelRead, (@Sendable (WriterEvent) -> Void)?) in
            guard state.ring.count > 0 else {
                if let end = state.end { return (.ended(end), nil) }
                return (.empty, nil)
            }
            let count = body(&state.ring)
            guard count > 0 else { return (.empty, nil) }
            guard state.isWriterWaiting, state.end == nil, state.ring.space >= spaceToTell else {
                return (.bytes(count), nil)
            }
            state.isWriterWaiting = false
            return (.bytes(count), state.writer)
        }
        writer?(.writable)
        return result
    }

    package func write(_ bytes: UnsafeRawBufferPointer) -> ByteChannelWrite {
        put(wanted: bytes.count) { ring in ring.write(bytes) }
    }

    /// Lets the closure put bytes into memory of the pipe; it returns how many it put there.
    package func fill(_ body: (UnsafeMutableRawBufferPointer) -> Int) -> ByteChannelWrite {
        put(wanted: 0) { ring in ring.fill(body) }
    }

    /// Lets the closure put bytes into memory of the pipe while both sides go on; it returns how many it put there. For
    /// one writer at a time, which uses nothing else. Without space the closure is not called, the result is nil, and the
    /// writer is told of space later.
    package func fillUnlocked<Result>(
        _ body: (UnsafeMutableRawBufferPointer) -> (count: Int, result: Result)
    ) -> Result? {
        // As a number, because a pointer into what the lock guards may not leave it.
        let place = state.withLock { state -> (address: UInt, count: Int) in
            guard state.end == nil else { return (0, 0) }
            guard state.ring.space > 0 else {
                state.isWriterWaiting = true
                return (0, 0)
            }
            let memory = state.ring.reserve()
            return (UInt(bitPattern: memory.baseAddress), memory.count)
        }
        guard place.count > 0, let start = UnsafeMutableRawPointer(bitPattern: place.address) else { return nil }
        let (count, result) = body(UnsafeMutableRawBufferPointer(start: start, count: place.count))
        let reader = state.withLock { state -> (@Sendable (ReaderEvent) -> Void)? in
            let wasEmpty = state.ring.count == 0
            let added = state.ring.commit(state.end == nil ? count : 0)
            if state.ring.space == 0 { state.isWriterWaiting = true }
            return wasEmpty && added > 0 ? state.reader : nil
        }
        reader?(.readable)
        return result
    }

    /// True when that many bytes can be written; otherwise the writer is told of space later.
    package func hasSpace(for length: Int) -> Bool {
        state.withLock { state in
            if state.ring.space >= length { return true }
            state.isWriterWaiting = true
            return false
        }
    }

    private func put(wanted: Int, _ body: (inout ByteRing) -> Int) -> ByteChannelWrite {
        let (result, reader) = state.withLock { state -> (ByteChannelWrite, (@Sendable (ReaderEvent) -> Void)?) in
            if let end = state.end { return (.ended(end), nil) }
            let wasEmpty = state.ring.count == 0
            let count = body(&state.ring)
            if count < wanted || state.ring.space == 0 { state.isWriterWaiting = true }
            return (.taken(count), wasEmpty && count > 0 ? state.reader : nil)
        }
        reader?(.readable)
        return result
    }

    /// Nothing is written any more; what waits can still be read, unless it is to be dropped. The first end counts.
    package func finish(_ end: ByteChannelEnd, drops: Bool = false) {
        typealias Sides = (reader: (@Sendable (ReaderEvent) -> Void)?, writer: (@Sendable (WriterEvent) -> Void)?)
        let sides = state.withLock { state -> Sides in
            if drops { state.ring.clear() }
            guard state.end == nil else { return (nil, nil) }
            state.end = end
            return (state.reader, state.writer)
        }
        sides.reader?(.ended)
        sides.writer?(.ended)
    }
}
