// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import DeviceCore
import Foundation
import Testing

@Suite("CMMotionActivityManager")
struct MotionActivityTests {
    private struct ReceivedUpdate: Sendable, Equatable {
        var flags: [String]
        var confidence: CMMotionActivityConfidence
        var start: Date
    }

    private func received(_ activity: CMMotionActivity) -> ReceivedUpdate {
        let flags = [
            (activity.stationary, "stationary"), (activity.walking, "walking"), (activity.running, "running"),
            (activity.automotive, "automotive"), (activity.cycling, "cycling"), (activity.unknown, "unknown"),
        ]
        return ReceivedUpdate(
            flags: flags.filter(\.0).map(\.1), confidence: activity.confidence, start: activity.startDate)
    }

    @Test("The manager reports rest and walking with their start times and returns both in later queries")
    func walk() throws {
        let test = TestDevice([.accelerometer])
        let manager = test.use { CMMotionActivityManager() }
        let box = Box<ReceivedUpdate>()
        manager.startActivityUpdates(to: .main) { activity in
            if let activity { box.add(received(activity)) }
        }
        test.walk(from: 0, seconds: 20, cadence: 0)
        test.walk(from: 20, seconds: 40, cadence: 2)
        #expect(box.all.first?.flags == ["stationary"])
        #expect(box.all.first?.confidence == .low)
        let last = try #require(box.all.last)
        #expect(last.flags == ["walking"])
        #expect(last.confidence == .high)
        #expect(abs(last.start.timeIntervalSince(test.date(20))) < 2.6)
        // Consecutive updates differ.
        #expect(zip(box.all, box.all.dropFirst()).allSatisfy { $0 != $1 })
        manager.stopActivityUpdates()
        let count = box.count
        test.walk(from: 60, seconds: 20, cadence: 0)
        #expect(box.count == count)

        let answers = Box<[ReceivedUpdate]>()
        manager.queryActivityStarting(from: test.date(0), to: test.date(100), to: .main) { activities, _ in
            answers.add((activities ?? []).map(received))
        }
        manager.queryActivityStarting(from: test.date(50), to: test.date(55), to: .main) { activities, _ in
            answers.add((activities ?? []).map(received))
        }
        test.playback?.run()
        #expect(answers.all[0].map(\.flags) == [["stationary"], ["walking"]])
        #expect(answers.all[0].last?.confidence == .high)
        #expect(answers.all[1].map(\.flags) == [["walking"]])
    }

    @Test("A ride is detected from the receiver's speed until the last fix is more than 3 s old")
    func ride() throws {
        for isFresh in [true, false] {
            let test = TestDevice([.accelerometer])
            let manager = test.use { CMMotionActivityManager() }
            let box = Box<ReceivedUpdate>()
            manager.startActivityUpdates(to: .main) { activity in
                if let activity { box.add(received(activity)) }
            }
            test.move(speed: 20)
            test.walk(from: 0, seconds: 10, cadence: 0)
            for second in 10..<30 {
                if isFresh { test.move(speed: 20) }
                test.walk(from: Double(second), seconds: 1, cadence: 0)
            }
            // The earlier fix is used for 3 s.
            #expect(box.all.first?.flags == ["automotive"])
            for second in 30..<100 { test.walk(from: Double(second), seconds: 1, cadence: 0) }
            #expect(box.all.last?.flags == ["stationary"])
            #expect(box.all.contains { $0.flags == ["automotive"] && $0.start > test.date(1) } == false)
            withExtendedLifetime(manager) {}
        }
    }

    @Test("A new subscriber immediately receives the current activity, and a lost sensor is reported as nil")
    func late() {
        let test = TestDevice([.accelerometer])
        let first = test.use { CMMotionActivityManager() }
        first.startActivityUpdates(to: .main) { _ in }
        test.walk(from: 0, seconds: 20, cadence: 0)
        let second = test.use { CMMotionActivityManager() }
        let box = Box<[String]>()
        second.startActivityUpdates(to: .main) { box.add($0.map { received($0).flags } ?? ["nil"]) }
        test.playback?.run()
        #expect(box.all == [["stationary"]])
        test.lose(.accelerometer)
        #expect(box.all.last == ["nil"])
        withExtendedLifetime(first) {}
    }

    @Test("A query with an invalid interval reports the reason")
    func invalidIntervals() {
        let test = TestDevice([.accelerometer])
        let manager = test.use { CMMotionActivityManager() }
        let reasons = Box<String>()
        let invalid = Date(timeIntervalSince1970: .nan)
        for (start, end) in [
            (invalid, Date()), (Date(), invalid), (Date(timeIntervalSince1970: 2), .init(timeIntervalSince1970: 1)),
        ] {
            manager.queryActivityStarting(from: start, to: end, to: .main) { _, error in
                reasons.add((error as NSError?)?.localizedDescription ?? "none")
            }
        }
        test.playback?.run()
        #expect(reasons.all.map { $0.contains("not a number") } == [true, true, false])
        #expect(reasons.all.last?.contains("before the start") == true)
    }

    @Test("Invalid readings and invalid timestamps do not prevent later updates")
    func oddReadings() {
        let test = TestDevice([.accelerometer])
        let manager = test.use { CMMotionActivityManager() }
        let box = Box<Int>()
        manager.startActivityUpdates(to: .main) { _ in box.add(1) }
        for (index, time) in [Int64.min, .max, 0, -1, .max, 1, .min + 1].enumerated() {
            test.hub.post(
                MotionBatch(
                    sensor: "accelerometer", kind: .accelerometer,
                    values: [SIMD3(repeating: index.isMultiple(of: 2) ? .nan : 1e300)],
                    times: [BootTime(nanoseconds: time)], arrival: .zero))
        }
        test.playback?.run()
        test.walk(from: 0, seconds: 10, cadence: 0)
        #expect(box.count > 0)
    }
}
