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

    /// A second of readings that alternate by as much to both sides.
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

    @Test("Without a fix there is no event")
    func noFix() {
        let test = TestDevice()
        let (altimeter, events) = start(test)
        for second in 0..<5 { feed(test, 100, from: Double(second)) }
        #expect(events.all.isEmpty)
        altimeter.stopAbsoluteAltitudeUpdates()
    }

    @Test("The altitude of a fix is carried on by the change of pressure")
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
        // The standard atmosphere 500 m further up, a second later. The fix is not near any more.
        test.positions.set(fix(520, error: 6, at: -60))
        feed(test, 95.4608, from: 1)
        let second = try #require(events.all.last)
        #expect(abs(second.altitude - 1020) < 0.02)
        // 6 m, 10 m/h for a second, 4 per cent of 500 m.
        #expect(abs(second.accuracy - (6 + 10.0 / 3600 + 20)) < 0.01)
        altimeter.stopAbsoluteAltitudeUpdates()
    }

    @Test("The accuracy gets worse by 10 metres an hour")
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

    @Test("A better fix takes the place of the former one, a worse one does not")
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

    @Test("A fix that is old, flat, without an altitude or without an error does not count")
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

    @Test("What is above the ellipsoid counts with the geoid, and what servers before 3.20 call the altitude as it is")
    func otherAltitudes() throws {
        let ellipsoidal: (inout PositionReport) -> Void = { ($0.altitudeHAE, $0.geoidSeparation) = (247.5, 47.5) }
        for tell in [ellipsoidal, { $0.altitudeUndefined = 200 }] {
            let test = TestDevice()
            let (altimeter, events) = start(test)
            var report = fix(.nan, error: 5, at: 1)
            tell(&report)
            test.positions.set(report)
            test.feed(.pressure, [100, 0, 0], at: 0)
            feed(test, 100, from: 0)
            #expect(try #require(events.all.last).altitude == 200)
            altimeter.stopAbsoluteAltitudeUpdates()
        }
    }

    @Test("The precision is the scatter of the readings in metres")
    func precision() throws {
        let test = TestDevice()
        let (altimeter, events) = start(test)
        test.feed(.pressure, [101.325, 0, 0], at: 0)
        test.positions.set(fix(0, error: 5, at: 1))
        feed(test, 101.325, from: 0)
        test.positions.set(fix(0, error: 5, at: -60))
        feed(test, 101.325, scatter: 0.003, from: 1)
        // Ten readings 0.003 kPa off to both sides: a deviation of 0.003 * sqrt(10/9) = 0.003162 kPa; near sea level
        // 12.0 Pa make a metre (density 1.225 kg/m3 times 9.80665 m/s2 = 12.013 Pa/m).
        #expect(abs(try #require(events.all.last).precision - 3.162 / 12.013) < 0.001)
        altimeter.stopAbsoluteAltitudeUpdates()
    }
}
