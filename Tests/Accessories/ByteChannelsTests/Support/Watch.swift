// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import Testing

/// What a channel tells, and what can be read from it.
final class Watch: Sendable {
    let channel: any ByteChannel
    private let bell = Bell()
    private let events = Mutex<[ByteChannelEvent]>([])

    init(_ channel: any ByteChannel) {
        self.channel = channel
        channel.observe { [bell, weak self] event in
            self?.events.withLock { $0.append(event) }
            bell.ring()
        }
    }

    /// How often the end was told.
    var ends: Int {
        events.withLock { events in
            events.count { if case .ended = $0 { true } else { false } }
        }
    }

    /// How often bytes were told of.
    var readables: Int {
        events.withLock { events in
            events.count { if case .readable = $0 { true } else { false } }
        }
    }

    /// Waits for an event after which the condition holds; false after a minute.
    func wait(_ condition: () -> Bool) -> Bool {
        while !condition() {
            guard bell.wait(seconds: 60) else { return false }
        }
        return true
    }

    /// Waits until that many bytes wait to be read, which no event tells of; false after a minute.
    func waitForBytes(_ count: Int) -> Bool {
        let end = LiveClock().now.advanced(bySeconds: 60)
        while channel.bytesAvailable < count {
            if LiveClock().now > end { return false }
            WorkerThread.pause(seconds: 0.001)
        }
        return true
    }

    /// Waits for the end.
    func waitForEnd() -> ByteChannelEnd? {
        _ = wait { channel.end != nil && ends > 0 }
        return channel.end
    }

    /// What can be read now, that many bytes at most.
    func take(_ limit: Int = 65_536) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            if case .bytes(let read) = channel.read(into: UnsafeMutableRawBufferPointer(buffer)) { count = read }
        }
    }

    /// That many bytes; fewer when the end comes or a minute passes.
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

    /// Writes what is taken at once; returns how much, -1 after the end.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { if case .taken(let count) = channel.write($0) { count } else { -1 } }
    }

    /// Writes all of it, as there is space.
    func send(_ bytes: [UInt8]) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes {
                if case .taken(let count) = channel.write($0) { count } else { -1 }
            }
            if count < 0 { return false }
            done += count
            if done < bytes.count, !wait({ channel.spaceAvailable > 0 || channel.end != nil }) { return false }
        }
        return true
    }
}

/// Bytes that do not repeat within a page, so that none can be missing or twice unnoticed.
func pattern(_ count: Int, from start: Int = 0) -> [UInt8] {
    (start..<start + count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8 &* 7) }
}

/// Expects equal bytes, of which there are more than a failed expectation should write out.
func expectSame(_ left: [UInt8], _ right: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
    if left == right { return }
    let place = zip(left, right).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    Issue.record(
        "\(left.count) bytes, expected \(right.count); the first that differs: \(place.map { "\($0)" } ?? "none")",
        sourceLocation: sourceLocation)
}
