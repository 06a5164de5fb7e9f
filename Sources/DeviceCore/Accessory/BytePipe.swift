// This source file is part of the swift-device-services project.
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

    package init(capacity: Int) {
        state = Mutex(State(ring: ByteRing(capacity: capacity)))
    }

    package func observeReader(_ receive: (@Sendable (ReaderEvent) -> Void)?) {
        let former = state.withLock { state in
            defer { state.reader = receive }
            return state.reader
        }
        withExtendedLifetime(former) {}
    }

    package func observeWriter(_ receive: (@Sendable (WriterEvent) -> Void)?) {
        let former = state.withLock { state in
            defer { state.writer = receive }
            return state.writer
        }
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
            guard state.isWriterWaiting, state.end == nil else { return (.bytes(count), nil) }
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
        let sides = state.withLock { state in
            if drops { state.ring.clear() }
            guard state.end == nil else {
                return (
                    reader: Optional<@Sendable (ReaderEvent) -> Void>.none,
                    writer: Optional<@Sendable (WriterEvent) -> Void>.none
                )
            }
            state.end = end
            return (reader: state.reader, writer: state.writer)
        }
        sides.reader?(.ended)
        sides.writer?(.ended)
    }
}
