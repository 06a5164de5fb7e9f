// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SensorFusion
import Synchronization
import TestSupport
import Testing

@testable import CoreMotion

@Suite("Step log of the last seven days")
struct StepLogTests {
    private static let start = 1_767_225_600.0

    private func walk(_ log: inout StepLog, at seconds: Double, count: Int) {
        for index in 0..<count {
            let time = WallTime(seconds: Self.start + seconds + Double(index) * 0.5) ?? .epoch
            log.add(CountedStep(time: time, length: 0.7, interval: index == 0 ? 0 : 0.5))
        }
    }

    private var sample: StepLog {
        var log = StepLog()
        walk(&log, at: 0, count: 100)
        walk(&log, at: 3600, count: 25)
        log.add(ascended: 2, descended: 1, at: WallTime(seconds: Self.start + 3610) ?? .epoch)
        log.add(StepLog.Activity(start: Self.start, activity: .walking, confidence: .high))
        log.add(StepLog.Activity(start: Self.start + 60, activity: [.automotive, .stationary], confidence: .low))
        return log
    }

    private final class Folder {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("steps-\(UUID().uuidString)").path
        var file: String { path + "/steps.json" }
        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    @Test("Totals cover all steps or those of a part of the period")
    func totals() {
        let log = sample
        let all = log.totals(from: Self.start - 10, to: Self.start + 10_000)
        #expect(all.steps == 125)
        #expect(abs(all.distance - 87.5) < 1e-9)
        #expect(abs(all.activeTime - 61.5) < 1e-9)
        #expect(all.floorsAscended == 2 && all.floorsDescended == 1)
        #expect(abs(log.totals(from: Self.start + 10, to: Self.start + 20).steps - 20) < 1.5)
        #expect(log.totals(from: Self.start + 100, to: Self.start + 200) == StepTotals())
    }

    @Test("A file preserves the log to a hundredth of a second and a hundredth of a metre")
    func file() throws {
        let folder = Folder()
        let file = StepLogFile(folder: folder.path)
        let problems = Mutex<[String]>([])
        #expect(file.load(warn: { problem in problems.withLock { $0.append(problem) } }).log.intervals.isEmpty)
        file.store(sample, lengthFactor: 1.07, now: WallTime(seconds: Self.start + 4000) ?? .epoch) { problem in
            problems.withLock { $0.append(problem) }
        }
        // Only the owner may read the file, because it reveals when the user moved.
        let mode = try FileManager.default.attributesOfItem(atPath: folder.file)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        let (log, factor) = file.load { problem in problems.withLock { $0.append(problem) } }
        #expect(problems.withLock { $0 }.isEmpty)
        #expect(factor == 1.07)
        #expect(log.activities == sample.activities)
        let (read, added) = (log.totals(from: 0, to: 1e10), sample.totals(from: 0, to: 1e10))
        #expect(read.steps == added.steps && abs(read.distance - added.distance) < 0.2)
        #expect(read.floorsAscended == 2)
    }

    @Test("A file truncated at any byte yields one warning and an empty log, and can be overwritten")
    func cut() throws {
        let folder = Folder()
        let file = StepLogFile(folder: folder.path)
        let now = WallTime(seconds: Self.start + 4000) ?? .epoch
        file.store(sample, lengthFactor: 1, now: now)
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: folder.file)))
        #expect(bytes.count > 200)
        // Every length except the one that lacks only the final newline, which is still complete.
        for length in 0..<bytes.count - 1 {
            let (log, factor, problem) = StepLog.read(Array(bytes[..<length]))
            #expect(problem != nil && log.intervals.isEmpty && log.activities.isEmpty && factor == 1, "\(length)")
        }
        try Data(bytes[..<100]).write(to: URL(fileURLWithPath: folder.file))
        let problems = Mutex<[String]>([])
        _ = file.load { problem in problems.withLock { $0.append(problem) } }
        #expect(problems.withLock { $0 }.count == 1)
        #expect(problems.withLock { $0 }.first?.contains(folder.file) == true)
        file.store(sample, lengthFactor: 1, now: now)
        #expect(file.load().log.totals(from: 0, to: 1e10).steps == 125)
    }

    @Test("Implausible numbers, unknown formats and versions are rejected, and changed bytes cause no crash")
    func hostile() throws {
        for text in [
            #"{"format":"device-services-steps","version":1,"steps":[[1,0,5,1,1,0,0]]}"#,
            #"{"format":"device-services-steps","version":1,"steps":[[1,2,1e300,1,1,0,0]]}"#,
            #"{"format":"device-services-steps","version":1,"steps":[[1,2,NaN,1,1,0,0]]}"#,
            #"{"format":"device-services-steps","version":1,"steps":[7]}"#,
            #"{"format":"device-services-steps","version":1,"activity":[[1,999,1]]}"#,
            #"{"format":"device-services-steps","version":1,"activity":[[1,2,-1]]}"#,
            #"{"format":"device-services-steps","version":2}"#, #"{"format":"other","version":1}"#, "[]", "",
        ] {
            let (log, _, problem) = StepLog.read(Array(text.utf8))
            #expect(problem != nil && log.intervals.isEmpty && log.activities.isEmpty, "\(text)")
        }
        let bytes = sample.json(lengthFactor: 1)
        for index in bytes.indices {
            for byte: UInt8 in [0, 0x2D, 0x39, 0x65, 0xFF] {
                var changed = bytes
                changed[index] = byte
                _ = StepLog.read(changed)
            }
        }
    }

    @Test("Storing a log keeps the steps another process stored and counts overlapping steps once")
    func merge() {
        let folder = Folder()
        let file = StepLogFile(folder: folder.path)
        let now = WallTime(seconds: Self.start + 20_000) ?? .epoch
        var other = StepLog()
        walk(&other, at: 10_000, count: 40)
        walk(&other, at: 3600, count: 24)
        file.store(other, lengthFactor: 1, now: now)
        file.store(sample, lengthFactor: 1, now: now)
        #expect(file.load().log.totals(from: 0, to: 1e10).steps == 165)
    }

    @Test("A merge matches a comparison of all pairs, even after the clock was set back", arguments: 0..<20)
    func mergesAsCompared(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func log() -> StepLog {
            let intervals = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                let start = Self.start + Double(Int.random(in: 0..<600, using: &random))
                return StepLog.StepInterval(start: start, end: start + Double(Int.random(in: 0...10, using: &random)))
            }
            // Sorted except for a few intervals.
            return StepLog(intervals: intervals.sorted { $0.start + Double($0.end) < $1.start + Double($1.end) })
        }
        let (own, other) = (log(), log())
        var merged = own
        merged.merge(other, now: Self.start + 1000)
        let added = other.intervals.filter { one in
            !own.intervals.contains { $0.start <= one.end && $0.end >= one.start }
        }
        #expect(merged.intervals.map(\.start) == (added + own.intervals).map(\.start).sorted())
        #expect(Set(merged.intervals) == Set(added + own.intervals))
    }

    @Test("The log is limited to seven days and to its maximum numbers of entries")
    func age() {
        var log = StepLog()
        for day in 0..<20 { walk(&log, at: Double(day) * 86_400, count: 10) }
        #expect(log.totals(from: 0, to: 1e10).steps <= 80)
        for index in 0..<StepLog.maximumIntervals + 100 { walk(&log, at: 3_000_000 + Double(index) * 20, count: 1) }
        #expect(log.intervals.count <= StepLog.maximumIntervals)
        for index in 0..<StepLog.maximumActivities + 100 {
            log.add(
                StepLog.Activity(
                    start: Self.start + Double(index), activity: index.isMultiple(of: 2) ? .walking : .stationary,
                    confidence: .low))
        }
        #expect(log.activities.count <= StepLog.maximumActivities)
    }

    @Test("A restarted program restores the steps and activities of its previous run")
    func restart() throws {
        let folder = Folder()
        do {
            let test = TestDevice([.accelerometer])
            let engine = StepEngine(device: test.device, file: StepLogFile(folder: folder.path))
            let subscription = engine.subscribe(StepRequest()) { _ in }
            test.walk(from: 0, seconds: 30, cadence: 2)
            subscription.cancel()
        }
        let test = TestDevice([.accelerometer])
        test.clock.move(to: TestDevice.start.advanced(bySeconds: 100))
        let engine = StepEngine(device: test.device, file: StepLogFile(folder: folder.path))
        let day = TestDevice.wallStart.seconds
        #expect(abs(engine.totals(from: day - 10, to: day + 100).steps - 60) <= 2)
        #expect(engine.activities(from: day - 10, to: day + 100).map(\.activity) == [.walking])
    }

    @Test("A simulated device has no step log file")
    func simulated() {
        #expect(StepLogFile(of: TestDevice([.accelerometer]).device) == nil)
    }
}
