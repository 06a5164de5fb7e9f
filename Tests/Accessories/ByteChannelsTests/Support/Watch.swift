// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import Testing

/// Records the events of a channel, and reads from and writes to it.
final class Watch: Sendable {
    let channel: any ByteChannel
    private let semaphore = BinarySemaphore()
    private let events = Mutex<[ByteChannelEvent]>([])

    init(_ channel: any ByteChannel) {
        self.channel = channel
        channel.observe { [semaphore, weak self] event in
            self?.events.withLock { $0.append(event) }
            semaphore.signal()
        }
    }

    /// The number of end events.
    var ends: Int {
        events.withLock { events in
            events.count { if case .ended = $0 { true } else { false } }
        }
    }

    /// The number of readable events.
    var readables: Int {
        events.withLock { events in
            events.count { if case .readable = $0 { true } else { false } }
        }
    }

    /// Waits for an event after which the condition holds. Returns false after a minute.
    func wait(_ condition: () -> Bool) -> Bool {
        while !condition() {
            guard semaphore.wait(seconds: 60) else { return false }
        }
        return true
    }

    /// Polls until `count` bytes can be read, because no event reports this. Returns false after a minute.
    func waitForBytes(_ count: Int) -> Bool {
        let end = LiveClock().now.advanced(bySeconds: 60)
        while channel.bytesAvailable < count {
            if LiveClock().now > end { return false }
            WorkerThread.sleep(seconds: 0.001)
        }
        return true
    }

    /// Waits for the end and returns it, or nil after a minute.
    func waitForEnd() -> ByteChannelEnd? {
        _ = wait { channel.end != nil && ends > 0 }
        return channel.end
    }

    /// Returns the bytes that can be read now, at most `limit`.
    func take(_ limit: Int = 65_536) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            if case .bytes(let read) = channel.read(into: UnsafeMutableRawBufferPointer(buffer)) { count = read }
        }
    }

    /// Receives `count` bytes, or fewer if the channel ends or a minute passes.
    func receive(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let part = take(min(65_536, count - bytes.count))
            bytes += part
            if part.isEmpty {
                if channel.end != nil, channel.bytesAvailable == 0 { return bytes }
                guard wait({ channel.bytesAvailable > 0 || channel.end != nil }) else { return bytes }
            }
        }
        return bytes
    }

    /// Writes as many bytes as fit at once. Returns their number, or -1 after the end.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { if case .accepted(let count) = channel.write($0) { count } else { -1 } }
    }

    /// Writes all bytes as space becomes available. Returns false if the channel ends or a minute passes without space.
    func send(_ bytes: [UInt8]) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes {
                if case .accepted(let count) = channel.write($0) { count } else { -1 }
            }
            if count < 0 { return false }
            done += count
            if done < bytes.count, !wait({ channel.spaceAvailable > 0 || channel.end != nil }) { return false }
        }
        return true
    }
}

/// Returns bytes that do not repeat within a page, so that lost and duplicated bytes are detected.
func pattern(_ count: Int, from start: Int = 0) -> [UInt8] {
    (start..<start + count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8 &* 7) }
}

/// Expects equal bytes. A failure does not print the bytes, because there may be many.
func expectSame(_ left: [UInt8], _ right: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
    if left == right { return }
    let index = zip(left, right).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    Issue.record(
        "\(left.count) bytes, expected \(right.count); the first that differs: \(index.map { "\($0)" } ?? "none")",
        sourceLocation: sourceLocation)
}
