// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import DeviceCore
import Testing

@Suite("CMAltimeter")
struct AltimeterTests {
    private struct Event: Sendable {
        var altitude: Double
        var pressure: Double
        var timestamp: Double
    }

    private func start(_ test: TestDevice) -> (altimeter: CMAltimeter, events: Box<Event>) {
        let altimeter = test.use { CMAltimeter() }
        let events = Box<Event>()
        altimeter.startRelativeAltitudeUpdates(to: .main) { data, error in
            #expect(error == nil)
            guard let data else { return }
            events.add(
                Event(
                    altitude: data.relativeAltitude.doubleValue, pressure: data.pressure.doubleValue,
                    timestamp: data.timestamp))
        }
        return (altimeter, events)
    }

    /// Feeds a constant pressure at 10 Hz for a number of seconds.
    private func feed(_ test: TestDevice, _ pressure: Double, from start: Double, seconds: Double) {
        for index in 0..<Int(seconds * 10) { test.feed(.pressure, [pressure, 0, 0], at: start + Double(index) / 10) }
    }

    @Test("The first relative altitude is exactly 0 at any pressure", arguments: [101.325, 98.7654321, 30, 115])
    func first(pressure: Double) throws {
        let test = TestDevice()
        let (altimeter, events) = start(test)
        feed(test, pressure, from: 0, seconds: 1.1)
        #expect(events.count == 1)
        let event = try #require(events.all.first)
        #expect(event.altitude == 0)
        #expect(event.pressure == pressure)
        #expect(event.timestamp == 101)
        altimeter.stopRelativeAltitudeUpdates()
    }

    /// Pressures in hPa at geopotential altitudes of the standard atmosphere (ISO 2533:1975, table 1, altitudes rounded
    /// to about a centimetre), and one value computed by hand: ln(100/101.325) = -0.0131632. Multiplied by 0.190263,
    /// this is -0.00250447. 1 - exp(-0.00250447) = 0.00250133, and multiplied by 44330.77 m this is 110.89 m.
    static let table: [(pressure: Double, altitude: Double, tolerance: Double)] = [
        (100, 110.89, 0.01), (95.4608, 500, 0.02), (89.8746, 1000, 0.02), (79.4952, 2000, 0.02),
        (54.0199, 5000, 0.02), (102.532, -100, 0.1),
    ]

    @Test("Altitudes follow the standard atmosphere", arguments: table)
    func formula(row: (pressure: Double, altitude: Double, tolerance: Double)) throws {
        let test = TestDevice()
        let (altimeter, events) = start(test)
        feed(test, 101.325, from: 0, seconds: 1.1)
        feed(test, row.pressure, from: 1.1, seconds: 1)
        #expect(events.count == 2)
        let event = try #require(events.all.last)
        #expect(abs(event.altitude - row.altitude) < row.tolerance)
        altimeter.stopRelativeAltitudeUpdates()
    }

    @Test("Each second, one update delivers the mean of the readings since the previous update")
    func means() throws {
        let test = TestDevice()
        let (altimeter, events) = start(test)
        // 100.0, 100.1, 100.2 ... at 10 Hz.
        for index in 0..<41 { test.feed(.pressure, [100 + Double(index) / 10, 0, 0], at: Double(index) / 10) }
        #expect(events.all.map(\.timestamp) == [101, 102, 103, 104])
        // The means of the readings 0...10, 11...20, 21...30 and 31...40.
        let expected = [100.5, 101.55, 102.55, 103.55]
        for (event, mean) in zip(events.all, expected) { #expect(abs(event.pressure - mean) < 1e-9) }
        altimeter.stopRelativeAltitudeUpdates()
    }

    @Test("A sensor with an interval above one second yields one update per reading")
    func slowSensor() {
        let test = TestDevice()
        let (altimeter, events) = start(test)
        for index in 0..<4 { test.feed(.pressure, [100 + Double(index), 0, 0], at: Double(index) * 5) }
        #expect(events.all.map(\.pressure) == [101, 102, 103])
        altimeter.stopRelativeAltitudeUpdates()
    }

    @Test("An invalid pressure is ignored", arguments: [0, -5, .nan, .infinity])
    func nonsense(value: Double) {
        let test = TestDevice()
        let (altimeter, events) = start(test)
        feed(test, 100, from: 0, seconds: 1)
        test.feed(.pressure, [value, 0, 0], at: 1.0)
        test.feed(.pressure, [100, 0, 0], at: 1.1)
        #expect(events.all.map(\.pressure) == [100])
        altimeter.stopRelativeAltitudeUpdates()
    }

    @Test("A restart sets the altitude to 0, and a stop ends the updates")
    func restart() {
        let test = TestDevice()
        let (altimeter, events) = start(test)
        feed(test, 100, from: 0, seconds: 1.1)
        feed(test, 99, from: 1.1, seconds: 1)
        #expect(events.count == 2)
        let again = Box<Double>()
        altimeter.startRelativeAltitudeUpdates(to: .main) { data, _ in
            again.add(data?.relativeAltitude.doubleValue ?? .nan)
        }
        feed(test, 99, from: 2.1, seconds: 1.1)
        #expect(events.count == 2)
        #expect(again.all == [0])
        altimeter.stopRelativeAltitudeUpdates()
        feed(test, 99, from: 4, seconds: 3)
        #expect(again.count == 1)
        #expect(test.hub.demand(of: "pressure") == nil)
    }

    @Test("Without a barometer, each handler is called once with an error")
    func missing() {
        let test = TestDevice([.accelerometer])
        test.use {
            #expect(!CMAltimeter.isRelativeAltitudeAvailable())
            #expect(!CMAltimeter.isAbsoluteAltitudeAvailable())
            #expect(CMAltimeter.authorizationStatus() == .notDetermined)
        }
        let altimeter = test.use { CMAltimeter() }
        let codes = Box<Int>()
        altimeter.startRelativeAltitudeUpdates(to: .main) { _, error in codes.add((error as NSError?)?.code ?? 0) }
        altimeter.startAbsoluteAltitudeUpdates(to: .main) { _, error in codes.add((error as NSError?)?.code ?? 0) }
        #expect(codes.all.isEmpty)
        test.playback?.run()
        #expect(codes.all == [109, 109])
    }

    @Test("With a barometer, the altimeter is available and authorized")
    func available() {
        TestDevice([.pressure]).use {
            #expect(CMAltimeter.isRelativeAltitudeAvailable())
            #expect(CMAltimeter.isAbsoluteAltitudeAvailable())
            #expect(CMAltimeter.authorizationStatus() == .authorized)
        }
    }

    @Test("A sensor loss is reported once, and altitudes remain relative to the same reference afterwards")
    func loss() {
        let test = TestDevice()
        let altimeter = test.use { CMAltimeter() }
        let received = Box<String>()
        altimeter.startRelativeAltitudeUpdates(to: .main) { data, error in
            if let data { received.add("\(Int(data.relativeAltitude.doubleValue.rounded()))") }
            if let error = error as NSError? { received.add("error \(error.code)") }
        }
        feed(test, 101.325, from: 0, seconds: 1.1)
        test.lose(.pressure)
        test.regain(.pressure)
        // The pressure of the standard atmosphere at 1000 m.
        feed(test, 89.8746, from: 60, seconds: 0.1)
        #expect(received.all == ["0", "error 109", "1000"])
    }
}
