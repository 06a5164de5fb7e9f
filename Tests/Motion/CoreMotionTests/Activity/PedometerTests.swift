// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import DeviceCore
import Foundation
import Testing

@Suite("CMPedometer")
struct PedometerTests {
    private struct ReceivedUpdate: Sendable {
        var steps: Int
        var distance: Double?
        var cadence: Double?
        var pace: Double?
        var end: Date
        var up: Int?
    }

    private func received(_ data: CMPedometerData) -> ReceivedUpdate {
        ReceivedUpdate(
            steps: data.numberOfSteps.intValue, distance: data.distance?.doubleValue,
            cadence: data.currentCadence?.doubleValue, pace: data.currentPace?.doubleValue, end: data.endDate,
            up: data.floorsAscended?.intValue)
    }

    /// Starts a pedometer and records its updates in a box.
    private func start(_ test: TestDevice, from date: Date) -> (CMPedometer, Box<ReceivedUpdate>) {
        let pedometer = test.use { CMPedometer() }
        let box = Box<ReceivedUpdate>()
        pedometer.startUpdates(from: date) { data, error in
            if let data { box.add(received(data)) }
            if let error { Issue.record(error) }
        }
        return (pedometer, box)
    }

    @Test("Availability depends on the sensors")
    func available() {
        TestDevice([.accelerometer]).use {
            #expect(CMPedometer.isStepCountingAvailable() && CMPedometer.isDistanceAvailable())
            #expect(CMPedometer.isPaceAvailable() && CMPedometer.isCadenceAvailable())
            #expect(CMPedometer.isPedometerEventTrackingAvailable())
            #expect(!CMPedometer.isFloorCountingAvailable())
            #expect(CMPedometer.authorizationStatus() == .authorized)
            #expect(CMMotionActivityManager.isActivityAvailable())
        }
        TestDevice([.accelerometer, .pressure]).use { #expect(CMPedometer.isFloorCountingAvailable()) }
    }

    @Test("All steps of a walk are counted, with cadence and pace, in at most one update per second")
    func walk() throws {
        let test = TestDevice([.accelerometer])
        let (pedometer, box) = start(test, from: test.date(0))
        test.walk(from: 0, seconds: 30, cadence: 2)
        test.end()
        withExtendedLifetime(pedometer) {}
        let all = box.all
        let last = try #require(all.last)
        #expect(abs(last.steps - 60) <= 2, "\(last.steps)")
        #expect(abs((last.cadence ?? 0) - 2) < 0.05)
        // Step length: 0.7 - 0.371 * 0.05 + 0.227 * (2 - 1.79) * 1.70 / 1.75 = 0.72776 m.
        #expect(abs((last.distance ?? 0) / Double(last.steps) - 0.7278) < 0.01)
        #expect(abs((last.pace ?? 0) - 1 / (2 * 0.7278)) < 0.03)
        #expect(last.up == nil)
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.steps <= $1.steps })
        for (first, second) in zip(all.dropLast(), all.dropLast().dropFirst()) {
            #expect(second.end.timeIntervalSince(first.end) >= 0.999)
        }
        #expect(all.count > 20)
    }

    @Test("After the end of a walk, the pedometer delivers one update without a cadence and then none")
    func rest() throws {
        let test = TestDevice([.accelerometer])
        let (pedometer, box) = start(test, from: test.date(0))
        test.walk(from: 0, seconds: 20, cadence: 2)
        test.walk(from: 20, seconds: 20, cadence: 0)
        let count = box.count
        let last = try #require(box.all.last)
        #expect(last.cadence == nil && last.pace == nil)
        #expect(last.end < test.date(25))
        test.walk(from: 40, seconds: 60, cadence: 0)
        #expect(box.count == count)
        withExtendedLifetime(pedometer) {}
    }

    @Test("During playback, a start date after the end of the trace means the current trace time")
    func present() throws {
        let test = TestDevice([.accelerometer])
        let (early, _) = start(test, from: test.date(0))
        test.walk(from: 0, seconds: 20, cadence: 2)
        let (pedometer, box) = start(test, from: .distantFuture)
        test.walk(from: 20, seconds: 20, cadence: 2)
        test.end()
        #expect(abs((box.all.last?.steps ?? 0) - 40) <= 2)
        withExtendedLifetime((early, pedometer)) {}
    }

    @Test("A start date in the past includes only the steps since that date")
    func past() throws {
        let test = TestDevice([.accelerometer])
        let (first, all) = start(test, from: test.date(0))
        test.walk(from: 0, seconds: 20, cadence: 2)
        let (second, sinceBegin) = start(test, from: test.date(0))
        let (third, sinceNow) = start(test, from: test.date(20))
        let (fourth, sinceMiddle) = start(test, from: test.date(10))
        test.playback?.run()
        let known = try #require(all.all.last?.steps)
        #expect(abs((sinceBegin.all.first?.steps ?? 0) - 40) <= 2)
        #expect(sinceNow.count == 0)
        #expect(abs((sinceMiddle.all.first?.steps ?? 0) - 20) <= 2)
        test.walk(from: 20, seconds: 20, cadence: 2)
        test.end()
        let total = try #require(all.all.last?.steps)
        #expect(total > known + 35)
        #expect(abs((sinceBegin.all.last?.steps ?? 0) - total) <= 1)
        #expect(abs((sinceNow.all.last?.steps ?? 0) - 40) <= 2)
        #expect(abs((sinceMiddle.all.last?.steps ?? 0) - 60) <= 3)
        withExtendedLifetime((first, second, third, fourth)) {}
    }

    @Test("A query returns the steps of the whole period or of a part, and rejects invalid dates")
    func query() async throws {
        let test = TestDevice([.accelerometer])
        let (pedometer, _) = start(test, from: test.date(0))
        test.walk(from: 0, seconds: 40, cadence: 2)
        pedometer.stopUpdates()
        let box = Box<Int>()
        pedometer.queryPedometerData(from: test.date(-3600), to: test.date(60)) { data, _ in
            box.add(data?.numberOfSteps.intValue ?? -1)
        }
        pedometer.queryPedometerData(from: test.date(10), to: test.date(20)) { data, _ in
            box.add(data?.numberOfSteps.intValue ?? -1)
        }
        pedometer.queryPedometerData(from: test.date(100), to: test.date(200)) { data, _ in
            box.add(data?.numberOfSteps.intValue ?? -1)
        }
        pedometer.queryPedometerData(from: test.date(20), to: test.date(10)) { _, error in
            box.add((error as NSError?)?.code ?? 0)
        }
        pedometer.queryPedometerData(from: Date(timeIntervalSince1970: .nan), to: test.date(10)) { _, error in
            box.add((error as NSError?)?.code ?? 0)
        }
        #expect(box.count == 0)
        test.playback?.run()
        let answers = box.all
        #expect(abs(answers[0] - 80) <= 2 && abs(answers[1] - 20) <= 2)
        #expect(answers[2...] == [0, 107, 107])
        let data = try await pedometer.queryPedometerData(from: test.date(0), to: test.date(60))
        #expect(data.numberOfSteps.intValue == answers[0])
        #expect(data.startDate == test.date(0) && data.endDate == test.date(60))
        #expect(data.currentCadence == nil)
        #expect(abs((data.averageActivePace?.doubleValue ?? 0) - 1 / (2 * 0.7278)) < 0.03)
    }

    @Test("Pause and resume events have the times of the steps")
    func events() throws {
        let test = TestDevice([.accelerometer])
        let pedometer = test.use { CMPedometer() }
        let box = Box<(CMPedometerEventType, Date)>()
        pedometer.startEventUpdates { event, _ in
            if let event { box.add((event.type, event.date)) }
        }
        test.walk(from: 0, seconds: 10, cadence: 0)
        test.walk(from: 10, seconds: 20, cadence: 2)
        test.walk(from: 30, seconds: 10, cadence: 0)
        test.walk(from: 40, seconds: 20, cadence: 2)
        #expect(box.all.map(\.0) == [.resume, .pause, .resume])
        for (event, seconds) in zip(box.all, [10.0, 30, 40]) {
            #expect(abs(event.1.timeIntervalSince(test.date(seconds))) < 1.1)
        }
        pedometer.stopEventUpdates()
        test.walk(from: 60, seconds: 10, cadence: 0)
        #expect(box.count == 3)
    }

    @Test("Sensors run while any pedometer is started, and no updates follow a stop")
    func hardware() {
        let test = TestDevice([.accelerometer, .pressure])
        #expect(test.hub.demand(of: "accelerometer") == nil)
        let (first, box) = start(test, from: test.date(0))
        let (second, _) = start(test, from: test.date(0))
        #expect(test.hub.demand(of: "accelerometer")?.rate == 50)
        #expect(test.hub.demand(of: "pressure") != nil)
        second.stopUpdates()
        #expect(test.hub.demand(of: "accelerometer") != nil)
        test.walk(from: 0, seconds: 20, cadence: 2)
        first.stopUpdates()
        #expect(test.hub.demand(of: "accelerometer") == nil)
        #expect(test.hub.demand(of: "pressure") == nil)
        let count = box.count
        test.walk(from: 20, seconds: 20, cadence: 2)
        #expect(box.count == count)
    }

    @Test("The receiver's speed determines the distance unless the fix is inaccurate")
    func positions() throws {
        for (error, length) in [(5.0, 0.5), (40, 0.7278), (.nan, 0.7278)] {
            let test = TestDevice([.accelerometer])
            let (pedometer, box) = start(test, from: test.date(0))
            for second in 0..<30 {
                test.move(speed: 1, error: error)
                test.walk(from: Double(second), seconds: 1, cadence: 2)
            }
            let last = try #require(box.all.last)
            #expect(abs((last.distance ?? 0) / Double(last.steps) - length) < 0.03, "\(error)")
            withExtendedLifetime(pedometer) {}
        }
    }

    @Test("Floors are counted from the barometer during a walk")
    func floors() throws {
        let test = TestDevice([.accelerometer, .pressure])
        let (pedometer, box) = start(test, from: test.date(0))
        for second in 0..<60 {
            // 12 m at 0.3 m/s, beginning after 10 s. One metre corresponds to 0.01201 kPa at sea level.
            let height = min(max(Double(second) - 10, 0) * 0.3, 12)
            for tenth in 0..<10 {
                test.feed(.pressure, [101.325 - height * 0.01201, 0, 0], at: Double(second) + Double(tenth) / 10)
            }
            test.walk(from: Double(second), seconds: 1, cadence: 2)
        }
        test.end()
        #expect(try #require(box.all.last).up == 4)
        withExtendedLifetime(pedometer) {}
    }

    @Test("A lost accelerometer is reported once, and counting continues when it is available again")
    func loss() throws {
        let test = TestDevice([.accelerometer])
        let pedometer = test.use { CMPedometer() }
        let steps = Box<Int>()
        let codes = Box<Int>()
        pedometer.startUpdates(from: test.date(0)) { data, error in
            if let data { steps.add(data.numberOfSteps.intValue) }
            if let error { codes.add((error as NSError).code) }
        }
        test.walk(from: 0, seconds: 20, cadence: 2)
        test.lose(.accelerometer)
        test.regain(.accelerometer)
        test.walk(from: 40, seconds: 20, cadence: 2)
        test.end()
        #expect(codes.all == [109])
        #expect(abs((steps.all.last ?? 0) - 80) <= 4)
    }

    @Test("A handler may stop, restart and release its pedometer")
    func reentrance() {
        let test = TestDevice([.accelerometer])
        var pedometer: CMPedometer? = test.use { CMPedometer() }
        let box = Box<Int>()
        pedometer?.startUpdates(from: test.date(0)) { _, _ in
            box.add(1)
            pedometer?.stopUpdates()
            pedometer?.startUpdates(from: test.date(0)) { _, _ in
                box.add(2)
                pedometer = nil
            }
        }
        test.walk(from: 0, seconds: 30, cadence: 2)
        #expect(box.all == [1, 2])
        #expect(test.hub.demand(of: "accelerometer") == nil)
    }

    @Test("CMStepCounter counts the same steps and calls its handler after every `updateOn` steps")
    @available(*, deprecated)
    func stepCounter() {
        let test = TestDevice([.accelerometer])
        let counter = test.use { CMStepCounter() }
        let box = Box<Int>()
        counter.startStepCountingUpdates(to: .main, updateOn: 10) { steps, _, _ in box.add(steps) }
        test.walk(from: 0, seconds: 22, cadence: 2)
        #expect(box.all == [10, 20, 30, 40])
        counter.queryStepCountStarting(from: test.date(0), to: test.date(60), to: .main) { steps, _ in box.add(steps) }
        test.playback?.run()
        #expect(abs((box.all.last ?? 0) - 44) <= 2)
        counter.stopStepCountingUpdates()
        test.walk(from: 22, seconds: 22, cadence: 2)
        #expect(box.count == 5)
    }
}
