// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import DeviceCore
import Testing

@Suite("Absolute altitude")
struct AbsoluteAltitudeTests {
    private struct Event: Sendable {
        var altitude: Double
        var accuracy: Double
        var precision: Double
    }

    private func start(_ test: TestDevice) -> (altimeter: CMAltimeter, events: Box<Event>) {
        let altimeter = test.use { CMAltimeter() }
        let events = Box<Event>()
        altimeter.startAbsoluteAltitudeUpdates(to: .main) { data, error in
            #expect(error == nil)
            guard let data else { return }
            events.add(Event(altitude: data.altitude, accuracy: data.accuracy, precision: data.precision))
        }
        return (altimeter, events)
    }

    /// Feeds readings at 10 Hz for one second. They alternate around `pressure` by `scatter`.
    private func feed(_ test: TestDevice, _ pressure: Double, scatter: Double = 0, from start: Double) {
        for index in 1...10 {
            let value = pressure + (index.isMultiple(of: 2) ? scatter : -scatter)
            test.feed(.pressure, [value, 0, 0], at: start + Double(index) / 10)
        }
    }

    private func fix(
        _ altitude: Double, error: Double, at seconds: Double, mode: FixMode = .threeDimensional
    ) -> PositionReport {
        var report = PositionReport()
        report.mode = mode
        report.altitudeMSL = altitude
        report.verticalError = error
        report.arrival = TestDevice.start.advanced(bySeconds: seconds)
        return report
    }

    @Test("Without a fix, no update is delivered")
    func noFix() {
        let test = TestDevice()
        let (altimeter, events) = start(test)
        for second in 0..<5 { feed(test, 100, from: Double(second)) }
        #expect(events.all.isEmpty)
        altimeter.stopAbsoluteAltitudeUpdates()
    }

    @Test("Pressure changes update the altitude of the last fix")
    func carriedOn() throws {
        let test = TestDevice()
        let (altimeter, events) = start(test)
        test.feed(.pressure, [101.325, 0, 0], at: 0)
        test.positions.set(fix(520, error: 6, at: 1))
        feed(test, 101.325, from: 0)
        let first = try #require(events.all.last)
        #expect(first.altitude == 520)
        #expect(first.accuracy == 6)
        #expect(first.precision == 0)
        // The pressure of the standard atmosphere 500 m higher, one second later. The new fix is too old to be used.
        test.positions.set(fix(520, error: 6, at: -60))
        feed(test, 95.4608, from: 1)
        let second = try #require(events.all.last)
        #expect(abs(second.altitude - 1020) < 0.02)
        // 6 m, plus 10 m/h for one second, plus 4 % of 500 m.
        #expect(abs(second.accuracy - (6 + 10.0 / 3600 + 20)) < 0.01)
        altimeter.stopAbsoluteAltitudeUpdates()
    }

    @Test("The accuracy degrades by 10 m per hour")
    func drift() throws {
        let test = TestDevice()
        let (altimeter, events) = start(test)
        test.feed(.pressure, [100, 0, 0], at: 0)
        test.positions.set(fix(200, error: 5, at: 1))
        feed(test, 100, from: 0)
        feed(test, 100, from: 7200)
        let event = try #require(events.all.last)
        #expect(event.altitude == 200)
        #expect(abs(event.accuracy - 25) < 0.01)
        altimeter.stopAbsoluteAltitudeUpdates()
    }

    @Test("A more accurate fix replaces the previous one, and a less accurate fix is ignored")
    func betterFix() throws {
        let test = TestDevice()
        let (altimeter, events) = start(test)
        test.feed(.pressure, [100, 0, 0], at: 0)
        for (second, altitude, error, expected) in [
            (0.0, 200.0, 8.0, 200.0), (1, 230, 20, 200), (2, 204, 3, 204), (3, 190, 4, 204),
        ] {
            test.positions.set(fix(altitude, error: error, at: second + 1))
            feed(test, 100, from: second)
            #expect(try #require(events.all.last).altitude == expected)
        }
        altimeter.stopAbsoluteAltitudeUpdates()
    }

    @Test("A fix that is old, two-dimensional, or without an altitude or a vertical error is ignored")
    func uselessFixes() {
        let useless = [
            fix(200, error: 5, at: -10), fix(200, error: 5, at: 1, mode: .twoDimensional),
            fix(.nan, error: 5, at: 1), fix(200, error: .nan, at: 1), fix(200, error: -1, at: 1),
        ]
        for report in useless {
            let test = TestDevice()
            let (altimeter, events) = start(test)
            test.positions.set(report)
            test.feed(.pressure, [100, 0, 0], at: 0)
            feed(test, 100, from: 0)
            #expect(events.all.isEmpty)
            altimeter.stopAbsoluteAltitudeUpdates()
        }
    }

    @Test("The altitude is derived from ellipsoidal height and geoid separation, or from gpsd's `alt` before 3.20")
    func otherAltitudes() throws {
        let ellipsoidal: (inout PositionReport) -> Void = { ($0.altitudeHAE, $0.geoidSeparation) = (247.5, 47.5) }
        for change in [ellipsoidal, { $0.altitudeUndefined = 200 }] {
            let test = TestDevice()
            let (altimeter, events) = start(test)
            var report = fix(.nan, error: 5, at: 1)
            change(&report)
            test.positions.set(report)
            test.feed(.pressure, [100, 0, 0], at: 0)
            feed(test, 100, from: 0)
            #expect(try #require(events.all.last).altitude == 200)
            altimeter.stopAbsoluteAltitudeUpdates()
        }
    }

    @Test("The precision is the standard deviation of the readings in metres")
    func precision() throws {
        let test = TestDevice()
        let (altimeter, events) = start(test)
        test.feed(.pressure, [101.325, 0, 0], at: 0)
        test.positions.set(fix(0, error: 5, at: 1))
        feed(test, 101.325, from: 0)
        test.positions.set(fix(0, error: 5, at: -60))
        feed(test, 101.325, scatter: 0.003, from: 1)
        // Ten readings that deviate by 0.003 kPa in alternating directions have a standard deviation of 0.003 *
        // sqrt(10/9) = 0.003162 kPa. Near sea level, one metre corresponds to 12.0 Pa (a density of 1.225 kg/m3 times
        // 9.80665 m/s2 = 12.013 Pa/m).
        #expect(abs(try #require(events.all.last).precision - 3.162 / 12.013) < 0.001)
        altimeter.stopAbsoluteAltitudeUpdates()
    }
}
