// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One end of an in-memory connection. Bytes written to one end are read from the other end.
package final class MemoryChannel: ByteChannel {
    private let input: BytePipe
    private let output: BytePipe
    private let endNotifier = EndNotifier()
    private let isClosed = Atomic<Bool>(false)

    private init(input: BytePipe, output: BytePipe) {
        self.input = input
        self.output = output
    }

    package static func pair(capacity: Int = 65_536) -> (MemoryChannel, MemoryChannel) {
        let forward = BytePipe(capacity: capacity)
        let backward = BytePipe(capacity: capacity)
        return (MemoryChannel(input: backward, output: forward), MemoryChannel(input: forward, output: backward))
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> ByteChannelRead {
        if isClosed.load(ordering: .acquiring) { return .ended(ByteChannelEnd(.closed)) }
        return input.read(into: buffer)
    }

    package func write(_ bytes: UnsafeRawBufferPointer) -> ByteChannelWrite {
        if isClosed.load(ordering: .acquiring) { return .ended(ByteChannelEnd(.closed)) }
        return output.write(bytes)
    }

    package var status: ByteChannelStatus {
        if isClosed.load(ordering: .acquiring) { return .closed }
        let space = output.spaceAvailable
        // The end must be read before `bytesAvailable`. Otherwise, the last bytes and the end could arrive between the
        // two reads, and the status would report the end but not those bytes.
        let end = input.end ?? output.end
        return ByteChannelStatus(bytesAvailable: input.bytesAvailable, spaceAvailable: space, end: end)
    }

    package func observe(_ receive: (@Sendable (ByteChannelEvent) -> Void)?) {
        guard let receive, !isClosed.load(ordering: .acquiring) else {
            input.observeReader(nil)
            output.observeWriter(nil)
            return
        }
        let endNotifier = endNotifier
        input.observeReader { event in
            switch event {
            case .readable: receive(.readable)
            case .ended: endNotifier.notify(receive)
            }
        }
        output.observeWriter { event in
            switch event {
            case .writable: receive(.writable)
            case .ended: endNotifier.notify(receive)
            }
        }
    }

    /// Closes this end. Bytes written before the call can still be read from the other end.
    package func close() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        observe(nil)
        output.finish(ByteChannelEnd(.hungUp))
        input.finish(ByteChannelEnd(.hungUp), discardsUnread: true)
    }

    /// Ends the connection on both sides, for example when the accessory is detached. Bytes already written can still
    /// be read.
    package func end(_ end: ByteChannelEnd) {
        output.finish(end)
        input.finish(end)
    }
}

/// Reports a channel's end to its observer only once, although both of the channel's pipes report the end.
private final class EndNotifier: Sendable {
    private let isNotified = Atomic<Bool>(false)

    func notify(_ receive: @Sendable (ByteChannelEvent) -> Void) {
        if !isNotified.exchange(true, ordering: .acquiringAndReleasing) { receive(.ended) }
    }
}
