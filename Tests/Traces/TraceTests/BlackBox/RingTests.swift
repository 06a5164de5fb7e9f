// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Testing
import Trace

@testable import BlackBox

@Suite("Ring on disk")
struct RingTests {
    @Test("A segment begins every eighth of the duration; the oldest expires when the others cover the duration")
    func segmentList() {
        var segmentList = RingSegmentList(duration: 80_000_000_000, size: 1 << 30)
        let second: Int64 = 1_000_000_000
        #expect(segmentList.needsSegment(for: 10, at: 0))
        for time in Int64(0)..<100 {
            if segmentList.needsSegment(for: 10, at: time * second) { _ = segmentList.begin() }
            let expired = segmentList.expire(toWrite: 10, at: time * second)
            segmentList.recordWrite(10, from: time * second, to: time * second)
            // Segments are 10 s long. The first one expires at 90 s, when the second one began 80 s ago.
            #expect(expired == (time == 90 ? [1] : []), "\(time)")
        }
        #expect(segmentList.segments.map(\.number) == Array(2...10))
        // No segment expires while events after a trigger are pending. Afterwards all old segments expire.
        segmentList.retainedSince = 20 * second
        #expect(segmentList.expire(toWrite: 10, at: 1000 * second) == [2])
        segmentList.retainedSince = nil
        segmentList.lastPinnedSegment = 4
        #expect(segmentList.expire(toWrite: 10, at: 1000 * second) == [])
        segmentList.lastPinnedSegment = nil
        #expect(segmentList.expire(toWrite: 10, at: 1000 * second) == Array(3...9))
    }

    @Test("A ring never exceeds its size limit, even if all events are to be kept")
    func segmentListSize() {
        var segmentList = RingSegmentList(duration: .max, size: 1 << 20)
        segmentList.retainedSince = 0
        for time in Int64(0)..<5000 {
            if segmentList.needsSegment(for: 1000, at: time) { _ = segmentList.begin() }
            _ = segmentList.expire(toWrite: 1000, at: time)
            segmentList.recordWrite(1000, from: time, to: time)
            #expect(segmentList.total <= 1 << 20)
        }
        #expect(segmentList.total > (1 << 20) * 3 / 4)
    }

    @Test("The ring holds at least its duration and at most an eighth more, and each segment is a valid trace")
    func segments() throws {
        let fixture = try BlackBoxFixture()
        try fixture.record(300)
        try fixture.writer.flush()
        var readings: [Double] = []
        for name in fixture.segments {
            let saved = try Saved(fixture.folder.path + "/.ring/" + name)
            #expect(saved.warningCount == 0)
            #expect(saved.file.header?.sensors.count == 1)
            readings += saved.readings
        }
        #expect(readings.last == 299.9)
        let first = try #require(readings.first)
        #expect(first <= 240 && first > 240 - 60.0 / 8 - 0.2)
        #expect(readings.count == Int(((299.9 - first) * 10).rounded()) + 1)
    }

    @Test("A new segment repeats the current state")
    func stateLines() throws {
        let fixture = try BlackBoxFixture()
        try fixture.record(gpsd: #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyS1"}]}"#)
        try fixture.writer.write(.battery(BatteryReading(level: 0.5, state: .charging)), at: fixture.time)
        try fixture.writer.write(.lost(DeviceError(.connectionLost, "gone")), at: fixture.time)
        try fixture.record(200)
        fixture.box.trigger("signal")
        try fixture.record(11)
        let saved = try Saved(try #require(fixture.received.saved.first).path)
        let kinds = saved.events.prefix(3).map { event -> String in
            switch event.contents {
            case .gpsd(let line): return String(String(decoding: line, as: UTF8.self).prefix(18))
            case .battery(let battery): return "\(battery?.level ?? -1)"
            case .lost(let error): return error.message
            default: return "other"
            }
        }
        #expect(kinds == ["0.5", #"{"class":"DEVICES""#, "gone"])
        // The state occurs once, although the trace consists of several segments.
        #expect(saved.events.count { if case .battery = $0.contents { true } else { false } } == 1)
        #expect(saved.events.count == saved.readings.count + 3)
    }

    @Test("Setting the clock during a recording corrects the start time of the trace")
    func clockSet() throws {
        let fixture = try BlackBoxFixture()
        try fixture.record(20)
        // The receiver has set the system clock.
        fixture.clock.setWallTime(WallTime(nanoseconds: 1_800_000_020_000_000_000))
        try fixture.record(50)
        fixture.box.trigger("signal")
        try fixture.record(11)
        let save = try #require(fixture.received.saved.first)
        let saved = try Saved(save.path)
        // The trace begins at 10 s, 60 s before the trigger.
        #expect(saved.readings.first == 10)
        #expect(saved.file.header?.start?.wallTime == WallTime(nanoseconds: 1_800_000_010_000_000_000))
        #expect(saved.file.header?.start?.boot == BootTime(nanoseconds: 110_000_000_000))
        #expect(save.path.hasSuffix("/2027-01-15T08-01-10Z-signal.trace"))
    }

    @Test("A second recorder cannot use the same ring, and the segments of an earlier one are renamed")
    func lockedDirectory() throws {
        let folder = try Folder()
        var fixture: BlackBoxFixture? = try BlackBoxFixture(folder)
        let lockError = #expect(throws: DeviceError.self) { try RingDirectory(folder.path + "/.ring", lockTimeout: 0) }
        #expect(lockError?.code == .busy)
        #expect(lockError?.message.hasPrefix("Another recorder uses the ring in \(folder.path)/.ring.") == true)
        for former in 1...2 {
            try fixture?.record(5)
            try fixture?.writer.flush()
            fixture = nil
            fixture = try BlackBoxFixture(folder)
            #expect(folder.names("/.ring") == (1...former).map { "former-\($0)-segment-00000001.trace" })
        }
        try fixture?.record(5)
        try fixture?.writer.close()
        try fixture?.ring.discard()
        #expect(folder.names("/.ring").count == 2)
    }

    @Test(
        "Names of segments are parsed, and other names are rejected",
        arguments: [
            "segment-1.trace", "segment-+0000001.trace", "segment-00000000.trace", "segment-.trace",
            "former-0-segment-00000001.trace", "former-1segment-00000001.trace", "former-01-segment-00000001.trace",
            "former-1-segment-00000001.trace.damaged", "trace",
        ])
    func segmentNames(other: String) {
        #expect(RingSegmentName(other) == nil)
        for name in [
            RingSegmentName(number: 1), RingSegmentName(number: 123_456_789), RingSegmentName(recorder: 12, number: 7),
        ] {
            #expect(RingSegmentName(name.text) == name)
        }
    }
}
