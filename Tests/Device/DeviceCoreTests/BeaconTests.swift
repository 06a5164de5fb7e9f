// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import Testing

@Suite("Beacon hub")
struct BeaconHubTests {
    /// The events of a subscriber, as text.
    final class Log: Sendable {
        private let list = Mutex<[String]>([])

        var entries: [String] { list.withLock { $0 } }

        func receive(_ event: BeaconEvent) {
            list.withLock { list in
                switch event {
                case .sighting(let sighting): list.append("\(sighting.identity.minor)")
                case .lost(let error): list.append("lost \(error.message)")
                case .regained: list.append("regained")
                }
            }
        }
    }

    private func sighting(_ minor: UInt16) -> BeaconSighting {
        BeaconSighting(
            identity: BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: minor), rssi: -60,
            measuredPower: -59, time: .zero)
    }

    @Test("Each subscriber receives only the sightings posted during its subscription")
    func subscribers() {
        let changes = Mutex(0)
        let hub = BeaconHub { changes.withLock { $0 += 1 } }
        let (first, second) = (Log(), Log())
        hub.post(sighting(1))
        let subscription = hub.subscribe(first.receive)
        hub.post(sighting(2))
        let other = hub.subscribe(second.receive)
        hub.post(sighting(3))
        subscription.cancel()
        #expect(hub.hasSubscribers)
        hub.post(sighting(4))
        other.cancel()
        #expect(!hub.hasSubscribers)
        hub.post(sighting(5))
        #expect(first.entries == ["2", "3"])
        #expect(second.entries == ["3", "4"])
        #expect(changes.withLock { $0 } == 4)
    }

    @Test("A loss and its end are delivered once each, and a lasting loss also to new subscribers")
    func losses() {
        let hub = BeaconHub()
        let (first, second) = (Log(), Log())
        let subscription = hub.subscribe(first.receive)
        hub.setStatus(.available)
        hub.setStatus(.unavailable(DeviceError(.notFound, "a")))
        hub.setStatus(.unavailable(DeviceError(.notFound, "b")))
        #expect(hub.problem?.message == "b")
        let other = hub.subscribe(second.receive)
        #expect(second.entries == ["lost b"])
        hub.setStatus(.available)
        hub.setStatus(.available)
        #expect(hub.problem == nil)
        #expect(first.entries == ["lost a", "regained"])
        #expect(second.entries == ["lost b", "regained"])
        withExtendedLifetime((subscription, other)) {}
    }

    @Test("A recovery during a new subscriber's loss callback is delivered after the loss")
    func returnMeanwhile() {
        let hub = BeaconHub()
        let log = Log()
        hub.setStatus(.unavailable(DeviceError(.notFound, "a")))
        let subscription = hub.subscribe { event in
            log.receive(event)
            if case .lost = event { hub.setStatus(.available) }
        }
        #expect(log.entries == ["lost a", "regained"])
        withExtendedLifetime(subscription) {}
    }

    @Test("A recovery and a second loss during a new subscriber's loss callback are not delivered")
    func lossMeanwhile() {
        let hub = BeaconHub()
        let log = Log()
        hub.setStatus(.unavailable(DeviceError(.notFound, "a")))
        let subscription = hub.subscribe { event in
            log.receive(event)
            if log.entries.count == 1 {
                hub.setStatus(.available)
                hub.setStatus(.unavailable(DeviceError(.notFound, "b")))
            }
        }
        #expect(log.entries == ["lost a"])
        hub.setStatus(.available)
        #expect(log.entries == ["lost a", "regained"])
        withExtendedLifetime(subscription) {}
    }

    @Test("A device without a radio reports that beacons are not supported")
    func noSource() {
        let log = Log()
        _ = NoBeaconSource().subscribe(log.receive)
        #expect(NoBeaconSource().problem?.code == .notSupported)
        #expect(log.entries.count == 1)
    }
}

@Suite("Beacon UUIDs")
struct BeaconUUIDTests {
    @Test("A UUID is parsed in either case and printed in uppercase")
    func text() throws {
        let uuid = try #require(BeaconUUID("e2c56db5-DFFB-48d2-b060-d0f5a71096e0"))
        #expect(uuid.high == 0xe2c5_6db5_dffb_48d2)
        #expect(uuid.low == 0xb060_d0f5_a710_96e0)
        #expect(uuid.description == "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")
        #expect(BeaconUUID(bytes: uuid.bytes[...]) == uuid)
        #expect(uuid.bytes.first == 0xe2)
    }

    @Test(
        "An invalid UUID string is rejected",
        arguments: [
            "", "-", "e2c56db5dffb48d2b060d0f5a71096e0", "e2c56db5-dffb-48d2-b060-d0f5a71096e",
            "e2c56db5-dffb-48d2-b060-d0f5a71096e00", "e2c56db5-dffb-48d2-b060-d0f5a71096g0",
            "e2c56db5-dffb-48d2-b060d-0f5a71096e0", "{e2c56db5-dffb-48d2-b060-d0f5a71096e}",
            "e2c56db5-dffb-48d2-b060-d0f5a71096\u{e9}",
        ])
    func rejected(text: String) {
        #expect(BeaconUUID(text) == nil)
    }

    @Test("A UUID requires exactly 16 bytes")
    func bytes() {
        #expect(BeaconUUID(bytes: [UInt8](repeating: 1, count: 15)[...]) == nil)
        #expect(BeaconUUID(bytes: [UInt8](repeating: 1, count: 17)[...]) == nil)
    }
}
