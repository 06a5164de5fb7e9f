// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization
import Testing
import Trace

@testable import BlackBox

/// Collects the events of a black box.
final class BlackBoxEventLog: Sendable {
    private let events = Mutex<[BlackBox.Event]>([])

    func add(_ event: BlackBox.Event) { events.withLock { $0.append(event) } }

    var saved: [SavedTrace] {
        events.withLock { $0.compactMap { if case .saved(let save, _) = $0 { save } else { nil } } }
    }

    var leftovers: [RingLeftover] {
        events.withLock { $0.compactMap { if case .processedLeftover(let leftover) = $0 { leftover } else { nil } } }
    }

    var failures: [DeviceError] {
        events.withLock { $0.compactMap { if case .failed(let error) = $0 { error } else { nil } } }
    }
}

/// A recording into a ring, with a clock that the test advances.
final class BlackBoxFixture {
    static let wallStart = WallTime(nanoseconds: 1_767_225_600_000_000_000)
    let clock = VirtualClock(now: BootTime(nanoseconds: 100_000_000_000), wallTime: BlackBoxFixture.wallStart)
    let folder: Folder
    let ring: TraceRing
    let writer: TraceWriter
    let box: BlackBox
    let received = BlackBoxEventLog()
    private let start: BootTime

    init(
        _ folder: Folder? = nil, duration: Double = 60, size: Int64 = 1 << 20, after: Double = 10,
        sync: RingSyncPolicy = .eachSecond, disk: DiskSynchronizer = .system
    ) throws {
        self.folder = try folder ?? Folder()
        var options = TraceRing.Options()
        options.duration = duration
        options.size = size
        options.sync = sync
        ring = try TraceRing(
            RingLocation(self.folder.path), options: options, clock: clock, syncClock: clock, disk: disk)
        writer = TraceWriter(ring, clock: clock)
        var boxOptions = BlackBox.Options()
        boxOptions.before = duration
        boxOptions.after = after
        let received = received
        box = BlackBox(
            ring: ring, writer: writer, options: boxOptions, clock: clock, run: { $0() }, onEvent: { received.add($0) })
        start = clock.now
        var header = TraceHeader(start: TraceHeader.Start(wallTime: clock.wallTime, boot: clock.now))
        header.add(SensorDescription(id: "accelerometer", kind: .accelerometer))
        header.recorder = "test"
        try writer.write(header)
    }

    var time: Int64 { clock.now.nanoseconds - start.nanoseconds }

    /// Advances the clock by this number of seconds and runs due timers. Writes ten readings a second; the first
    /// component is the time in seconds.
    func record(_ seconds: Int) throws {
        for _ in 0..<seconds * 10 {
            try writer.write(
                sample: [Double(time / 1_000_000) / 1000, 0, 9.8], kind: .accelerometer, at: time)
            let next = BootTime(nanoseconds: clock.now.nanoseconds + 100_000_000)
            while clock.runNextTimer(upTo: next) {}
            clock.move(to: next)
        }
    }

    /// Writes a line from gpsd.
    func record(gpsd line: String) throws { try writer.write(.gpsd(Array(line.utf8)), at: time) }

    var segments: [String] { folder.names("/.ring") }

    /// Saves the segments of earlier recorders, and returns the results.
    func saveLeftovers(freeSpace: Int64? = nil) -> (found: [RingLeftover], leftoverErrors: [DeviceError]) {
        var found: [RingLeftover] = []
        var leftoverErrors: [DeviceError] = []
        ring.saveLeftovers(freeSpace: { _ in freeSpace }) { result in
            switch result {
            case .success(let leftover): found.append(leftover)
            case .failure(let error): leftoverErrors.append(error)
            }
        }
        return (found, leftoverErrors)
    }
}

extension SavedTrace {
    /// Saves these segments.
    static func write(_ paths: [String], path: String) throws(DeviceError) -> SavedTrace? {
        var reading = try RingReader(paths)
        return try write(&reading, path: path, temporary: path + ".part")
    }
}

/// The contents of a trace file.
struct Saved {
    let file: TraceFile
    var events: [TraceEvent] = []
    var warningCount = 0

    init(_ path: String) throws {
        file = try TraceFile(path: path)
        let file = file
        var events: [TraceEvent] = []
        var count = 0
        file.bytes.withUnsafeBytes { bytes in
            var cursor = TraceCursor(file)
            while let event = cursor.nextEvent(bytes) { events.append(event) }
            count = cursor.warningCount
        }
        (self.events, warningCount) = (events, count)
    }

    /// The first components of the readings, which are their times in seconds.
    var readings: [Double] {
        events.compactMap { if case .sample(let value, _, _, _) = $0.contents { value.x } else { nil } }
    }

    var triggers: [(time: Double, event: String)] {
        let member = file.header?.otherMembers.first { $0.name == "triggers" }
        let list = (try? JSONSerialization.jsonObject(with: Data(member?.json ?? []))) as? [[String: Any]]
        return (list ?? []).map { ($0["t"] as? Double ?? -1, $0["event"] as? String ?? "") }
    }
}
