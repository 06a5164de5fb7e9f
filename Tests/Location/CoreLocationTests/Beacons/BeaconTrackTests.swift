// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Testing
import TestSupport

@testable import CoreLocation

@Suite("Distance estimates of beacons")
struct BeaconTrackTests {
    private let identity = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4)

    private func time(_ seconds: Double) -> BootTime { BootTime.zero.advanced(bySeconds: seconds) }

    private func sighting(_ seconds: Double, _ rssi: Int8?, power: Int8 = -59) -> BeaconSighting {
        BeaconSighting(identity: identity, rssi: rssi, measuredPower: power, time: time(seconds))
    }

    private func reported(
        _ track: inout BeaconTrack, _ seconds: Double
    ) -> (proximity: CLProximity, accuracy: Double, rssi: Int)? {
        track.report(now: time(seconds))
    }

    private func report(
        _ track: inout BeaconTrack, _ seconds: Double
    ) throws -> (proximity: CLProximity, accuracy: Double, rssi: Int) {
        let report = track.report(now: time(seconds))
        return try #require(report)
    }

    @Test("The distance is one metre at the measured power and ten times as large per 20 dB")
    func metres() throws {
        #expect(BeaconDistance.metres(rssi: -59, measuredPower: -59) == 1)
        #expect(abs(try #require(BeaconDistance.metres(rssi: -79, measuredPower: -59)) - 10) < 1e-9)
        #expect(abs(try #require(BeaconDistance.metres(rssi: -39, measuredPower: -59)) - 0.1) < 1e-9)
        #expect(BeaconDistance.metres(rssi: -59, measuredPower: 0) == nil)
        #expect(BeaconDistance.metres(rssi: -59, measuredPower: 127) == nil)
    }

    @Test("Between 1 and 10 m, distances agree within a third with a fit to iPhone measurements")
    func phones() throws {
        for rssi in stride(from: -59.0, through: -79, by: -1) {
            let fitted = 0.89976 * pow(rssi / -59, 7.7095) + 0.111
            let own = try #require(BeaconDistance.metres(rssi: rssi, measuredPower: -59))
            #expect(max(own / fitted, fitted / own) < 4.0 / 3, "\(rssi): \(own) beside \(fitted)")
        }
    }

    @Test("A proximity class changes when the distance is 20 % beyond its limit")
    func hysteresis() {
        func classes(_ distances: [Double]) -> [CLProximity] {
            var former = CLProximity.unknown
            return distances.map {
                former = BeaconDistance.proximity(at: $0, after: former)
                return former
            }
        }
        #expect(
            classes([0.5, 0.59, 0.61, 0.45, 0.41, 0.39]) == [.immediate, .immediate, .near, .near, .near, .immediate])
        #expect(classes([3, 3.5, 3.7, 2.5, 2.3]) == [.near, .near, .far, .far, .near])
        #expect(classes([0.51, 3.01]) == [.near, .near])
        #expect(classes([3.01]) == [.far])
        #expect(classes([0.1, 50, 0.1]) == [.immediate, .far, .immediate])
    }

    @Test("The reported RSSI is the mean since the previous report, or 0 without sightings")
    func strength() throws {
        var track = BeaconTrack(sighting(0, -60))
        track.process(sighting(0.5, -63))
        #expect(reported(&track, 1)?.rssi == -62)
        let second = try report(&track, 1.9)
        #expect(second.rssi == 0 && second.proximity == .near && second.accuracy > 1)
        track.process(sighting(2, -70))
        #expect(reported(&track, 2)?.rssi == -70)
    }

    @Test("The distance is unknown after two seconds of silence, and the beacon is removed after five")
    func silence() throws {
        var track = BeaconTrack(sighting(0, -60))
        #expect(reported(&track, 1.99)?.proximity == .near)
        let silent = try report(&track, 2)
        #expect(silent.proximity == .unknown && silent.accuracy == -1 && silent.rssi == 0)
        #expect(reported(&track, 4.99) != nil)
        #expect(reported(&track, 5) == nil)
    }

    @Test("A single outlier is ignored, and old RSSI values expire")
    func filter() throws {
        var track = BeaconTrack(sighting(0, -65))
        for tenth in 1..<20 { track.process(sighting(Double(tenth) / 10, tenth == 7 ? -20 : -65)) }
        let distance = try report(&track, 2).accuracy
        #expect(abs(distance - pow(10, 6.0 / 20)) < 1e-9)
        for tenth in 20..<80 { track.process(sighting(Double(tenth) / 10, -79)) }
        #expect(abs(try report(&track, 8).accuracy - 10) < 1e-9)
    }

    @Test("A beacon without an RSSI or a measured power has an unknown distance")
    func unknown() throws {
        var nameless = BeaconTrack(sighting(0, nil))
        let report = try report(&nameless, 1)
        #expect(report.proximity == .unknown && report.accuracy == -1 && report.rssi == 0)
        var unset = BeaconTrack(sighting(0, -50, power: 0))
        #expect(reported(&unset, 1)?.proximity == .unknown)
        unset.process(sighting(1, -50, power: -59))
        #expect(reported(&unset, 1.5)?.proximity == .immediate)
    }

    @Test("With indoor noise, a beacon at rest keeps its proximity class in 95 % of the reports")
    func noise() throws {
        var random = SeededGenerator(seed: 7)
        func noise() -> Double {
            // The sum of twelve uniform numbers has a variance of 1.
            (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) } * 6
        }
        var right = 0
        for distance in [0.25, 1, 1.7, 6] {
            let expected: CLProximity = distance < 0.5 ? .immediate : distance < 3 ? .near : .far
            var track: BeaconTrack?
            for second in 1...100 {
                let rssi = Int8(clamping: Int((-59 - 20 * log10(distance) + noise()).rounded()))
                let sighting = sighting(Double(second), rssi)
                if track?.process(sighting) == nil { track = BeaconTrack(sighting) }
                if track?.report(now: time(Double(second)))?.proximity == expected { right += 1 }
            }
        }
        // Measured: 97 of 100 with one packet per second.
        #expect(right >= 380, "\(right) of 400")
    }
}
