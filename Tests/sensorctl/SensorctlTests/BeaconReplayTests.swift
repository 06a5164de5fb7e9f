// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import Testing

@testable import SensorTools
@testable import sensorctl

@Suite("sensorctl replay of beacons", .toolIsBuilt, .waiting)
struct BeaconReplayTests {
    private static let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
    /// A near beacon, a far beacon that is silent after the first second, and an adapter that is off from 2.5 s to 3.5
    /// s.
    private static let trace = """
        {"format":"device-services-trace","version":1,"start":{"utc":"2026-05-01T10:00:00Z","boot":10}}
        {"t":0.5,"beacon":{"uuid":"\(uuid)","major":1,"minor":2,"rssi":-59,"power":-59}}
        {"t":0.6,"beacon":{"uuid":"\(uuid)","major":1,"minor":3,"rssi":-79,"power":-59}}
        {"t":1.5,"beacon":{"uuid":"\(uuid)","major":1,"minor":2,"rssi":-59,"power":-59}}
        {"t":2.5,"beacon":{"lost":{"code":"unreachable","message":"The adapter is switched off."}}}
        {"t":3.5,"beacon":{"regained":true}}

        """

    @Test("A line contains exactly the documented keys and the ranged beacons")
    func lines() throws {
        let result = try Tool.run(
            ["replay", "-", "beacons", "--beacon", Self.uuid, "--json"], input: Data(Self.trace.utf8))
        #expect(result.status == 0)
        func beacon(_ minor: Int, _ proximity: String, _ accuracy: String, _ rssi: Int) -> String {
            #"{"uuid":"\#(Self.uuid)","major":1,"minor":\#(minor),"proximity":"\#(proximity)","accuracy":\#(accuracy),"rssi":\#(rssi)}"#
        }
        #expect(
            result.lines == [
                #"{"callback":"didRangeBeacons","beacons":[\#(beacon(2, "near", "1.0", -59)),\#(beacon(3, "far", "10.0", -79))],"timestamp":"2026-05-01T10:00:01.000Z"}"#,
                #"{"callback":"didRangeBeacons","beacons":[\#(beacon(2, "near", "1.0", -59)),\#(beacon(3, "far", "10.0", 0))],"timestamp":"2026-05-01T10:00:02.000Z"}"#,
                #"{"callback":"didFailRangingFor","error":{"domain":"kCLErrorDomain","code":16,"name":"rangingUnavailable","reason":"The adapter is switched off."}}"#,
            ])
    }

    @Test("Only the requested beacons are delivered")
    func choice() throws {
        for (beacon, minors) in [("\(Self.uuid),1,3", ["3"]), ("\(Self.uuid),2", [])] {
            let result = try Tool.run(
                ["replay", "-", "beacons", "--beacon", beacon, "--json", "--to", "2"], input: Data(Self.trace.utf8))
            let found = result.output.matches(of: /"minor":(\d+)/).map { String($0.output.1) }
            #expect(found == minors)
        }
    }

    @Test("A beacon is specified by a UUID, an optional major and an optional minor")
    func names() throws {
        let uuid = try #require(UUID(uuidString: Self.uuid))
        #expect(BeaconChoice(argument: Self.uuid.lowercased())?.constraint == CLBeaconIdentityConstraint(uuid: uuid))
        #expect(
            BeaconChoice(argument: Self.uuid + ",0")?.constraint == CLBeaconIdentityConstraint(uuid: uuid, major: 0))
        #expect(
            BeaconChoice(argument: Self.uuid + ",1,65535")?.constraint
                == CLBeaconIdentityConstraint(uuid: uuid, major: 1, minor: 65535))
        for text in ["", "x", ",1", Self.uuid + ",", Self.uuid + ",65536", Self.uuid + ",-1", Self.uuid + ",1,2,3"] {
            #expect(BeaconChoice(argument: text) == nil, "\(text)")
        }
        #expect(try Tool.run(["replay", "-", "beacons"], input: Data(Self.trace.utf8)).status == 64)
        #expect(
            try Tool.run(["replay", "-", "location", "--beacon", Self.uuid], input: Data(Self.trace.utf8)).status == 64)
    }

    @Test("`doctor` reports whether beacons can be received, and a missing adapter only as a remark")
    func doctor() {
        var facts = MachineState(
            configuration: Configuration(), traits: [], user: "pi", isRoot: false, hasKernelBus: false,
            kernelSensors: [], triggers: [], canMakeTimerTriggers: false, trials: [])
        func findings() -> [Finding] { Diagnosis(facts).findings.filter { $0.topic == "beacons" } }
        #expect(findings().isEmpty)
        facts.beacons = BeaconAvailability(BeaconHub())
        #expect(findings().map(\.level) == [.good])
        let hub = BeaconHub()
        hub.setStatus(.unavailable(DeviceError(.notFound, "There is no adapter.")))
        facts.beacons = BeaconAvailability(hub)
        #expect(findings().map(\.level) == [.remark])
        #expect(findings().map(\.message) == ["There is no adapter."])
    }
}
