// SPDX-License-Identifier: Apache-2.0

import BoardCompass
import CoreLocation
import Foundation
import SimulatedDevice
import Testing

@Suite("The compass") struct BoardCompassTests {
    /// Returns the bearings shown while the trace plays.
    private static func bearings(_ trace: TraceFile) throws -> [BoardCompass.Bearing] {
        let device = SimulatedDevice(trace)
        var bearings: [BoardCompass.Bearing] = []
        try device.use {
            let compass = BoardCompass()
            compass.show = { bearings.append($0) }
            #expect(compass.start())
            try device.play()
        }
        return bearings
    }

    /// A point from the published test values of the World Magnetic Model 2025: in July 2026 at 33° north, 145° west
    /// and an altitude of 12 km, the field is 24,137 nT north, 5,112 nT east and 32,163 nT down. Magnetic north is
    /// therefore 11.96° east of true north.
    private static let (field, declination) = (SIMD3(5112.225, 24136.840, -32162.934) * 1e-5, 11.96)

    /// A board that lies flat with its top edge toward 40° and turns right, once around and on to 130°.
    private static func turn(withPositions: Bool) throws -> TraceFile {
        var lines: [(time: Double, event: String)] = []
        for step in 0..<1000 {
            let time = Double(step) / 50
            // A constant rotation of 45°/s from 2 s to 12 s.
            let heading = (40 + 45 * min(max(time - 2, 0), 10)) * .pi / 180
            let rate = time > 2 && time < 12 ? -Double.pi / 4 : 0
            let (x, y) = (
                field.x * cos(heading) - field.y * sin(heading), field.x * sin(heading) + field.y * cos(heading)
            )
            if step % 50 == 0, withPositions {
                lines.append(
                    (
                        time,
                        #""gpsd":{"class":"TPV","device":"/dev/ttyS0","mode":3,"time":"2026-07-01T12:00:"#
                            + String(format: "%02d", step / 50)
                            + #".000Z","lat":33,"lon":-145,"altHAE":12000,"altMSL":12000,"eph":5,"epv":8}"#
                    ))
            }
            lines.append((time, #""accelerometer":[0,0,9.80665]"#))
            lines.append((time, #""gyroscope":[0,0,\#(rate)]"#))
            lines.append((time, #""magnetometer":[\#(x),\#(y),\#(field.z)]"#))
        }
        return try Recordings.trace(
            sensors: ["accelerometer", "gyroscope", "magnetometer"]
                .map { #"{"id":"\#($0)","kind":"\#($0)","rates":[50]}"# }.joined(separator: ","), lines)
    }

    @Test("After a full turn the compass shows true north according to the published model")
    func trueNorth() throws {
        let bearings = try Self.bearings(Self.turn(withPositions: true))
        #expect(bearings.first == .unknown)
        guard case .degrees(let degrees, let accuracy, isTrue: true)? = bearings.last else {
            Issue.record("\(bearings)")
            return
        }
        #expect(abs(degrees - 130) < 1)
        #expect(accuracy < 20)
    }

    @Test("Without a position the compass shows magnetic north and labels it")
    func magneticNorth() throws {
        guard case .degrees(let degrees, _, isTrue: false)? = try Self.bearings(Self.turn(withPositions: false)).last
        else {
            Issue.record("no bearing")
            return
        }
        #expect(abs(degrees - (130 - Self.declination)) < 1)
    }

    @Test("With a real board the bearing matches the camera reference within its stated accuracy")
    func cameras() throws {
        let name = "broad/broad_03_undisturbed_slow_rotation_C.csv"
        let device = SimulatedDevice(try Recordings.open(name))
        let rows = try Recordings.text(name).split(separator: "\n").dropFirst().map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        var (count, errors) = (0, [Double]())
        device.use {
            var last: BoardCompass.Bearing?
            let compass = BoardCompass()
            compass.show = { last = $0 }
            #expect(compass.start())
            // A row is 0.0105 s. Every fourth row has the reference as the quaternion w, x, y, z in units of 1e-5.
            for (index, row) in rows.enumerated() {
                device.advance(by: .seconds(0.0105))
                guard row.count > 13, !row[9].isEmpty, row[13] == "1", index > 6000 else { continue }
                let parts = row[9...12].compactMap { Double($0).map { $0 / 1e5 } }
                let (w, x, y, z) = (parts[0], parts[1], parts[2], parts[3])
                let (east, north) = (2 * (x * y - w * z), 1 - 2 * (x * x + z * z))
                // The top edge has no bearing when the board stands upright.
                guard east * east + north * north > 0.25, case .degrees(let degrees, let accuracy, _)? = last else {
                    continue
                }
                count += 1
                let error = abs((degrees - atan2(east, north) * 180 / .pi).remainder(dividingBy: 360))
                if error > accuracy { errors.append(error) }
            }
        }
        #expect(count > 1500)
        #expect(Double(errors.count) < 0.05 * Double(count), "\(errors.count) of \(count) are beyond")
    }

    @Test("The compass does not start without heading sensors")
    func noSensor() {
        SimulatedDevice().use { #expect(!BoardCompass().start()) }
    }

    @Test("Bearings are formatted as text")
    func words() {
        typealias Bearing = BoardCompass.Bearing
        #expect("\(Bearing.degrees(359.7, accuracy: 3.2, isTrue: true))" == "N 000° true ±3°")
        #expect(
            "\(Bearing.degrees(101.3, accuracy: 25, isTrue: false))"
                == "ESE 101° magnetic ±25°: turn the board once around")
        #expect("\(Bearing.unknown)" == "unknown: turn the board once around, away from iron")
    }
}

extension ProgramTests {
    @Test("The compass program shows a simulated board's heading and reports a missing sensor")
    func compass() throws {
        // A magnetometer without calibration, on a board that lies flat and spins left at 90°/s.
        let end = try withBoard(try Recordings.open("iio/spin-flat-90dps.csv")) { environment in
            try Programs.run("board-compass", environment: environment) {
                $0.filter { $0.contains("magnetic") }.count > 5
            }
        }
        #expect(
            end.lines.first { !$0.hasPrefix("board-compass:") } == "unknown: turn the board once around, away from iron"
        )
        #expect(end.lines.contains { $0.contains("° magnetic ±") }, "\(end.lines)")

        let none = try withBoard(try Recordings.open("gpsd/bu303-moving.log.chk")) { environment in
            try Programs.run("board-compass", environment: environment)
        }
        #expect(none.status == 69)
    }
}
