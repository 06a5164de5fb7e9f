// SPDX-License-Identifier: Apache-2.0

import MQTTClient
import DeviceCore
import Foundation
import Testing

@Suite("SenML readings and Home Assistant messages")
struct BoardMessageTests {
    /// A clock whose wall time is 1700000000.5 at 100 s after boot.
    private static let clock: VirtualClock = {
        let clock = VirtualClock(
            now: BootTime(nanoseconds: 100_000_000_000), wallTime: WallTime(nanoseconds: 1_700_000_000_500_000_000))
        return clock
    }()

    private static func texts(_ batch: MotionBatch, board: String = "car7") -> [String] {
        SenMLPack.messages(batch, board: board, clock: clock).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("Accelerometer readings are encoded with their axes and times")
    func vector() {
        let batch = MotionBatch(
            sensor: "a", kind: .accelerometer, values: [[0.5, 0, 9.75], [1, -1, 9]],
            times: [BootTime(nanoseconds: 99_000_000_000), BootTime(nanoseconds: 99_020_000_000)])
        #expect(
            Self.texts(batch) == [
                #"[{"bn":"car7:accelerometer:","bt":1699999999.500000,"bu":"m/s2","n":"x","v":0.5},{"n":"y","v":0.0},{"n":"z","v":9.75},{"n":"x","t":0.020000,"v":1.0},{"n":"y","t":0.020000,"v":-1.0},{"n":"z","t":0.020000,"v":9.0}]"#
            ])
    }

    @Test("A barometer reading is a single value in pascals")
    func scalar() {
        let batch = MotionBatch(
            sensor: "p", kind: .pressure, values: [[101.325, 0, 0]], times: [BootTime(nanoseconds: 100_000_000_000)])
        #expect(Self.texts(batch) == [#"[{"bn":"car7:pressure","bt":1700000000.500000,"bu":"Pa","v":101325.0}]"#])
    }

    @Test("Magnetic fields are encoded in tesla, and rotation rates have no SenML unit")
    func units() {
        let time = [BootTime(nanoseconds: 100_000_000_000)]
        let field = MotionBatch(sensor: "m", kind: .magnetometer, values: [[0.5, 0, 0]], times: time)
        #expect(Self.texts(field).first?.contains(#""bu":"T","n":"x","v":5e-05}"#) == true)
        let rate = MotionBatch(sensor: "g", kind: .gyroscope, values: [[0.25, 0, 0]], times: time)
        #expect(Self.texts(rate).first?.contains("bu") == false)
    }

    @Test("Non-finite values are omitted, and a batch without finite values yields no message")
    func notFinite() {
        let times = [BootTime(nanoseconds: 1), BootTime(nanoseconds: 2)]
        let nothing = MotionBatch(
            sensor: "a", kind: .accelerometer, values: [[.nan, .infinity, .nan], [.nan, .nan, -.infinity]], times: times
        )
        #expect(Self.texts(nothing).isEmpty)
        let some = MotionBatch(
            sensor: "a", kind: .accelerometer, values: [[.nan, .nan, .nan], [.nan, 2, .nan]], times: times)
        #expect(Self.texts(some).first?.contains(#""n":"y","v":2.0}]"#) == true)
    }

    @Test("130 readings are split into three valid JSON messages")
    func many() throws {
        let batch = MotionBatch(
            sensor: "a", kind: .accelerometer, values: (0..<130).map { [Double($0), 0, 0] },
            times: (0..<130).map { BootTime(nanoseconds: 100_000_000_000 + $0 * 10_000_000) })
        let packs = SenMLPack.messages(batch, board: "b", clock: Self.clock)
        let counts = try packs.map { try (JSONSerialization.jsonObject(with: Data($0)) as? [Any])?.count }
        #expect(counts == [192, 192, 6])
    }

    @Test("A board's name is converted to a valid SenML name")
    func names() {
        let batch = MotionBatch(
            sensor: "p", kind: .pressure, values: [[1, 0, 0]], times: [BootTime(nanoseconds: 100_000_000_000)])
        #expect(Self.texts(batch, board: "Köln \"7\"").first?.contains(#""bn":"K_ln__7_:pressure""#) == true)
        #expect(Self.texts(batch, board: "-x").first?.contains(#""bn":"board-x:pressure""#) == true)
    }

    @Test("Home Assistant discovers a device tracker with the board's locations as attributes")
    func discovery() throws {
        let discovery = HomeAssistantDiscovery(
            topic: "owntracks/fleet/car 7", identifier: "fleet_car 7", name: "car 7")
        #expect(discovery.configurationTopic == "homeassistant/device_tracker/fleet_car_7/config")
        let object = try JSONSerialization.jsonObject(with: Data(discovery.json())) as? [String: Any]
        let message = try #require(object)
        #expect(message["name"] is NSNull)
        #expect(message["unique_id"] as? String == "fleet_car_7")
        #expect(message["default_entity_id"] as? String == "device_tracker.fleet_car_7")
        #expect(message["source_type"] as? String == "gps")
        #expect(message["json_attributes_topic"] as? String == "owntracks/fleet/car 7")
        #expect(message["availability_topic"] as? String == "owntracks/fleet/car 7/availability")
        let device = try #require(message["device"] as? [String: Any])
        #expect(device["identifiers"] as? [String] == ["fleet_car_7"] && device["name"] as? String == "car 7")
    }
}
