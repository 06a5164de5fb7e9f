// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SimulatedDevice
import Testing

@testable import CoreLocation

@Suite("Beacon ranging")
struct RangingTests {
    /// A delegate that records its callbacks.
    final class Listener: NSObject, CLLocationManagerDelegate {
        /// The reports, such as "door:1/2 near -60, 1/3 far 0". The prefix is the region's identifier or the
        /// constraint's major value.
        var reports: [String] = []
        var times: [Double] = []
        var beacons: [CLBeacon] = []
        var errors: [(name: String, error: CLError)] = []
        var onReport: ((CLLocationManager) -> Void)?

        private func record(_ name: String, _ manager: CLLocationManager, _ beacons: [CLBeacon]) {
            let words = beacons.map { "\($0.major)/\($0.minor) \($0.proximity) \($0.rssi)" }
            reports.append(([name] + [words.joined(separator: ", ")]).joined(separator: ":"))
            times.append(manager.client.device.clock.now.seconds)
            self.beacons = beacons
            onReport?(manager)
        }

        func locationManager(
            _ manager: CLLocationManager, didRange beacons: [CLBeacon],
            satisfying beaconConstraint: CLBeaconIdentityConstraint
        ) {
            record(beaconConstraint.major.map { "\($0)" } ?? "", manager, beacons)
        }

        func locationManager(
            _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
            error: any Error
        ) {
            if let error = error as? CLError { errors.append(("", error)) }
        }

        func locationManager(
            _ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion
        ) {
            record(region.identifier, manager, beacons)
        }

        func locationManager(
            _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion, withError error: any Error
        ) {
            if let error = error as? CLError { errors.append((region.identifier, error)) }
        }
    }

    private static let text = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
    private let uuid: UUID
    private let listener = Listener()

    init() throws { uuid = try #require(UUID(uuidString: Self.text)) }

    private func beacon(_ time: Double, _ minor: Int, major: Int = 1, rssi: Int? = -65, uuid: String = text) -> String {
        let strength = rssi.map { ",\"rssi\":\($0)" } ?? ""
        return
            #"{"t":\#(time),"beacon":{"uuid":"\#(uuid)","major":\#(major),"minor":\#(minor)\#(strength),"power":-59}}"#
    }

    private func device(_ lines: [String], configuration: Configuration = Configuration()) throws -> SimulatedDevice {
        try Drives.device(
            [#"{"format":"device-services-trace","version":1,"start":{"utc":"2026-05-01T10:00:00Z","boot":0}}"#]
                + lines,
            configuration: configuration)
    }

    /// Plays the lines for a number of seconds to a manager that the closure configures.
    @discardableResult
    private func play(
        _ lines: [String], for seconds: Double, configuration: Configuration = Configuration(),
        _ setUp: (CLLocationManager) -> Void
    ) throws -> CLLocationManager {
        let device = try device(lines, configuration: configuration)
        return device.use {
            let manager = CLLocationManager()
            manager.delegate = listener
            setUp(manager)
            device.advance(by: seconds)
            return manager
        }
    }

    @Test("A beacon is reported once a second until five seconds after its last sighting")
    func reports() throws {
        let manager = try play([beacon(0.2, 2), beacon(0.4, 2, rssi: -67), beacon(1.5, 2)], for: 7.5) {
            $0.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: uuid))
        }
        #expect(
            listener.reports == [
                ":1/2 near -66", ":1/2 near -65", ":1/2 near 0", ":1/2 unknown 0", ":1/2 unknown 0", ":1/2 unknown 0",
                ":",
            ])
        #expect(listener.times == [1, 2, 3, 4, 5, 6, 7])
        #expect(manager.rangedBeaconConstraints == [CLBeaconIdentityConstraint(uuid: uuid)])
    }

    @Test("A beacon has the values and the time of its sighting")
    func values() throws {
        try play([beacon(0.5, 2, rssi: -59)], for: 1) {
            $0.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: uuid))
        }
        let beacon = try #require(listener.beacons.first)
        #expect(beacon.uuid == uuid && beacon.major == 1 && beacon.minor == 2)
        #expect(beacon.proximity == .near && beacon.accuracy == 1 && beacon.rssi == -59)
        #expect(abs(Drives.second(beacon.timestamp) - 0.5) < 1e-6)
    }

    @Test("Beacons are sorted by distance, unknown distances last, and other UUIDs are omitted")
    func order() throws {
        let others = "11111111-2222-3333-4444-555555555555"
        try play(
            [
                beacon(0.1, 1, rssi: nil), beacon(0.1, 2, rssi: -80), beacon(0.1, 3, rssi: -50),
                beacon(0.1, 4, rssi: -50),
                beacon(0.1, 5, rssi: -40, uuid: others),
            ], for: 1
        ) { $0.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: uuid)) }
        #expect(listener.reports == [":1/3 immediate -50, 1/4 immediate -50, 1/2 far -80, 1/1 unknown 0"])
    }

    @Test("Each constraint is reported with its own beacons, in the order of the start calls")
    func constraints() throws {
        try play([beacon(0.1, 1, major: 7), beacon(0.2, 1, major: 8)], for: 1) { manager in
            manager.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: uuid, major: 8))
            manager.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: uuid, major: 7))
            manager.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: uuid, major: 8))
            manager.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: uuid, major: 9))
        }
        #expect(listener.reports == ["8:8/1 near -65", "7:7/1 near -65", "9:"])
    }

    @Test("After a stop, no report is delivered, not even a queued one")
    func stop() throws {
        let (one, two) = (
            CLBeaconIdentityConstraint(uuid: uuid, major: 1), CLBeaconIdentityConstraint(uuid: uuid, major: 2)
        )
        listener.onReport = { $0.stopRangingBeacons(satisfying: two) }
        let manager = try play([], for: 3) { manager in
            manager.startRangingBeacons(satisfying: one)
            manager.startRangingBeacons(satisfying: two)
        }
        #expect(listener.reports == ["1:", "1:", "1:"])
        #expect(manager.rangedBeaconConstraints == [one])
        manager.stopRangingBeacons(satisfying: one)
        #expect(manager.rangedBeaconConstraints.isEmpty)
    }

    @Test("The radio is used only while a manager ranges")
    func demand() throws {
        let device = try device([])
        let hub = try #require(device.device.beaconSource as? BeaconHub)
        device.use {
            var manager: CLLocationManager? = CLLocationManager()
            #expect(CLLocationManager.isRangingAvailable())
            manager?.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: uuid))
            #expect(hub.hasSubscribers)
            #expect(LocationAuthorization.current.uses.first?.services == .ranging)
            manager?.stopRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: uuid))
            #expect(!hub.hasSubscribers)
            manager?.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: uuid))
            manager = nil
            #expect(!hub.hasSubscribers)
        }
    }

    @Test("A loss is reported once per constraint with its reason, and reports resume afterwards")
    func loss() throws {
        let lost = #"{"t":1.5,"beacon":{"lost":{"code":"unreachable","message":"BlueZ is away."}}}"#
        try play(
            [beacon(0.5, 1), lost, #"{"t":4.5,"beacon":{"regained":true}}"#, beacon(4.6, 1)], for: 5
        ) { manager in
            manager.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: uuid))
            manager.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: uuid, major: 2))
        }
        #expect(listener.errors.map(\.error.code) == [.rangingUnavailable, .rangingUnavailable])
        let reason = listener.errors.first?.error.userInfo[NSUnderlyingErrorKey]
        #expect("\(String(describing: reason))".contains("BlueZ is away."))
        #expect(listener.reports == [":1/1 near -65", "2:", ":1/1 near -65", "2:"])
        #expect(listener.times == [1, 1, 5, 5])
    }

    @Test("Ranging that starts during a loss fails with an error")
    func lostBefore() throws {
        let device = try device([#"{"t":0,"beacon":{"lost":{"code":"notFound","message":"No adapter."}}}"#])
        device.use {
            device.advance(by: 0)
            #expect(!CLLocationManager.isRangingAvailable())
            let manager = CLLocationManager()
            manager.delegate = listener
            manager.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: uuid))
            #expect(listener.errors.isEmpty)
            device.advance(by: 1)
            manager.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: uuid, major: 1))
            device.advance(by: 1)
        }
        #expect(listener.errors.map(\.error.code) == [.rangingUnavailable, .rangingUnavailable])
        #expect(listener.reports.isEmpty)
    }

    @Test("Ranging without authorization fails with an error")
    func refused() throws {
        var configuration = Configuration()
        configuration.locationRule = Setting(.deny)
        try play([beacon(0.5, 1)], for: 2, configuration: configuration) {
            $0.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: uuid))
        }
        #expect(listener.errors.map(\.error.code) == [.denied])
        #expect(listener.reports.isEmpty)
    }

    @Test("Ranging with reduced accuracy fails with an error")
    func reduced() throws {
        var configuration = Configuration()
        configuration.reducesAccuracy = Setting(true)
        try play([beacon(0.5, 1)], for: 2, configuration: configuration) {
            $0.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: uuid))
        }
        #expect(listener.errors.map(\.error.code) == [.rangingUnavailable])
        #expect(listener.reports.isEmpty)
    }

    @Test("Revoked authorization ends ranging with an error, and restored authorization resumes it")
    func revoked() throws {
        let device = try device([beacon(0.5, 1), beacon(3.5, 1)])
        device.use {
            let manager = CLLocationManager()
            manager.delegate = listener
            manager.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: uuid))
            device.advance(by: 1)
            manager.authorization.status = .denied
            device.advance(by: 2)
            #expect(listener.reports.count == 1)
            #expect(listener.errors.map(\.error.code) == [.denied])
            manager.authorization.status = .authorizedWhenInUse
            device.advance(by: 1)
        }
        #expect(listener.reports == [":1/1 near -65", ":1/1 near -65"])
    }

    @available(*, deprecated)
    private func range(_ manager: CLLocationManager, in region: CLBeaconRegion) {
        manager.startRangingBeacons(in: region)
        #expect(manager.rangedRegions == [region])
    }

    @available(*, deprecated)
    @Test("The deprecated methods report regions")
    func regions() throws {
        let lost = #"{"t":1.5,"beacon":{"lost":{"code":"unreachable","message":"BlueZ is away."}}}"#
        try play([beacon(0.5, 1), lost], for: 3) { manager in
            range(manager, in: CLBeaconRegion(uuid: uuid, identifier: "door"))
            #expect(manager.rangedBeaconConstraints.isEmpty)
        }
        #expect(listener.reports == ["door:1/1 near -65"])
        #expect(listener.errors.map(\.name) == ["door"])
    }

    @Test("The same trace yields the same reports")
    func repeated() throws {
        let lines = (0..<200).map { beacon(Double($0) / 20, $0 % 40, rssi: -40 - $0 % 50) }
        var all: [[String]] = []
        for _ in 0..<2 {
            listener.reports = []
            try play(lines, for: 12) { $0.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: uuid)) }
            all.append(listener.reports)
        }
        #expect(all[0] == all[1])
        #expect(all[0].count == 12)
    }

    @Test("Any number of beacons uses bounded memory, and the latest beacons are reported")
    func flood() throws {
        var ranging = RangingState()
        _ = ranging.start(.constraint(CLBeaconIdentityConstraint(uuid: uuid)))
        for number in 0..<3000 {
            ranging.process(
                BeaconSighting(
                    identity: BeaconIdentity(uuid: BeaconUUID(uuid), major: 0, minor: UInt16(number)), rssi: -60,
                    measuredPower: -59, time: BootTime(nanoseconds: Int64(number))))
        }
        let reports = ranging.reports(at: VirtualClock())
        let beacons = try #require(reports.first?.beacons)
        #expect(beacons.count == RangingState.trackLimit)
        #expect(beacons.contains { $0.minor == 2999 } && !beacons.contains { $0.minor == 0 })
    }

    @Test("The number of undelivered ranging reports is bounded")
    func callbacks() {
        var callbacks = PendingLocationCallbacks()
        let request = RangingRequest.constraint(CLBeaconIdentityConstraint(uuid: uuid))
        for _ in 0..<1000 { callbacks.add(.ranging([], request)) }
        #expect(callbacks.queue.count == PendingLocationCallbacks.rangingLimit)
    }
}
