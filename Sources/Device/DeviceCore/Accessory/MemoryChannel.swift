// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One of two ends of a connection that exists in memory only. What one writes the other reads.
public final class MemoryChannel: ByteChannel {
    private let input: BytePipe
    private let output: BytePipe
    private let ending = Ending()
    private let isClosed = Atomic<Bool>(false)

    private init(input: BytePipe, output: BytePipe) {
        self.input = input
        self.output = output
    }

    /// Two ends with room for that many bytes on each way.
    public static func pair(capacity: Int = 65_536) -> (MemoryChannel, MemoryChannel) {
        let there = BytePipe(capacity: capacity)
        let back = BytePipe(capacity: capacity)
        return (MemoryChannel(input: back, output: there), MemoryChannel(input: there, output: back))
    }

    /// Takes bytes that the other end has written.
    public func read(into buffer: UnsafeMutableRawBufferPointer) -> ByteChannelRead {
        if isClosed.load(ordering: .acquiring) { return .ended(ByteChannelEnd(.closed)) }
        return input.read(into: buffer)
    }

    /// Hands bytes to the other end.
    public func write(_ bytes: UnsafeRawBufferPointer) -> ByteChannelWrite {
        if isClosed.load(ordering: .acquiring) { return .ended(ByteChannelEnd(.closed)) }
        return output.write(bytes)
    }

    /// How many bytes the other end has written, how many it would take, and how the connection ended.
    public var status: ByteChannelStatus {
        if isClosed.load(ordering: .acquiring) { return .closed }
        let space = output.spaceAvailable
        // The end first: after it no more bytes come.
        let end = input.end ?? output.end
        return ByteChannelStatus(bytesAvailable: input.bytesAvailable, spaceAvailable: space, end: end)
    }

    /// Has the closure told of what the other end does, on the thread that does it.
    public func observe(_ receive: (@Sendable (ByteChannelEvent) -> Void)?) {
        guard let receive, !isClosed.load(ordering: .acquiring) else {
            input.observeReader(nil)
            output.observeWriter(nil)
            return
        }
        let ending = ending
        input.observeReader { event in
            switch event {
            case .readable: receive(.readable)
            case .ended: ending.tell(receive)
            }
        }
        output.observeWriter { event in
            switch event {
            case .writable: receive(.writable)
            case .ended: ending.tell(receive)
            }
        }
    }

    /// Ends the connection: the other end still reads what was written before.
    public func close() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        observe(nil)
        output.finish(ByteChannelEnd(.hungUp))
        input.finish(ByteChannelEnd(.hungUp), drops: true)
    }

    /// Ends the connection from outside, as when an accessory is unplugged: both ends still read what the other had
    /// written.
    public func end(_ end: ByteChannelEnd) {
        output.finish(end)
        input.finish(end)
    }
}

/// Told once, though the end comes on both ways. By itself, because a weak reference to the channel would be slow.
private final class Ending: Sendable {
    private let isTold = Atomic<Bool>(false)

    func tell(_ receive: @Sendable (ByteChannelEvent) -> Void) {
        if !isTold.exchange(true, ordering: .acquiringAndReleasing) { receive(.ended) }
    }
}
