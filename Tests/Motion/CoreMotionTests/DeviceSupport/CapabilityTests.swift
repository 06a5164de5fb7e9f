// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import Testing

@testable import DeviceSupport

@Suite("Required capabilities")
struct CapabilityTests {
    private static func problems(
        _ test: UIDeviceBench, _ body: (DeviceCapabilities) -> [DeviceCapabilities.Problem]
    ) -> [String] {
        body(test.use { DeviceCapabilities.current }).map { "\($0.capability) \($0.kind.rawValue)" }
    }

    @Test("Every capability of a list is required")
    func list() {
        let test = UIDeviceBench([.accelerometer, .gyroscope])
        #expect(Self.problems(test) { $0.problems(required: ["accelerometer", "gyroscope"]) } == [])
        #expect(
            Self.problems(test) {
                $0.problems(required: ["magnetometer", "accelerometer", "gps", "location-services"])
            }
                == ["magnetometer missing", "gps missing", "location-services missing"])
    }

    @Test("In a dictionary, true requires a capability and false forbids it")
    func dictionary() {
        let test = UIDeviceBench([.accelerometer])
        #expect(Self.problems(test) { $0.problems(required: ["accelerometer": true, "magnetometer": false]) } == [])
        #expect(
            Self.problems(test) { $0.problems(required: ["accelerometer": false, "magnetometer": true]) }
                == ["accelerometer forbidden", "magnetometer missing"])
    }

    @Test("An unknown capability is unavailable and reported as unknown")
    func unknown() {
        let test = UIDeviceBench()
        #expect(Self.problems(test) { $0.problems(required: ["telephony"]) } == ["telephony unknown"])
        #expect(Self.problems(test) { $0.problems(required: ["telephony": false]) } == [])
        #expect(
            Self.problems(test) { $0.problems(required: ["Accelerometer", ""]) } == [
                "Accelerometer unknown", " unknown",
            ])
    }

    @Test("A receiver provides both position capabilities, and a source without a receiver only location-services")
    func position() {
        let test = UIDeviceBench()
        var receiver = ReceiverDescription()
        receiver.path = "/dev/ttyACM0"
        test.position.post(receivers: [receiver])
        #expect(Self.problems(test) { $0.problems(required: ["gps", "location-services"]) } == [])
        receiver.isActive = false
        test.position.post(receivers: [receiver])
        #expect(Self.problems(test) { $0.problems(required: ["gps", "location-services"]) } == ["gps missing"])
    }

    @Test("The reason of an unavailable source is included in the problem")
    func lost() throws {
        let test = UIDeviceBench()
        // The status of a source is known only while it has a subscriber.
        let subscription = test.position.subscribe(PositionRequest()) { _ in }
        test.position.setStatus(
            .unavailable(DeviceError(.unreachable, "Nobody listens at localhost:2947. Start gpsd.")))
        let problem = try #require(test.use { DeviceCapabilities.current }.problems(required: ["gps"]).first)
        #expect(problem.reason == "Nobody listens at localhost:2947. Start gpsd.")
        #expect(problem.description == "gps (missing): Nobody listens at localhost:2947. Start gpsd.")
        subscription.cancel()
    }

    @Test("A live source without a known status is subscribed to until it reports one")
    func asksLiveSource() {
        final class Source: Sendable {
            let hub: PositionHub

            init(answer: @escaping @Sendable (PositionHub) -> Void) {
                let storedHub = Mutex<PositionHub?>(nil)
                hub = PositionHub(demandChanged: {
                    if let hub = storedHub.withLock({ $0 }), hub.hasSubscribers { answer(hub) }
                })
                storedHub.withLock { $0 = hub }
            }
        }
        func problems(_ answer: @escaping @Sendable (PositionHub) -> Void) -> [String] {
            let source = Source(answer: answer)
            let device = Device(
                name: "live", clock: VirtualClock(), configuration: Configuration(), positionSource: source.hub)
            let problems = device.withCurrent { DeviceCapabilities.current }.problems(required: [
                "gps", "location-services",
            ])
            #expect(!source.hub.hasSubscribers)
            return problems.map { "\($0.capability) \($0.kind.rawValue): \($0.reason)" }
        }
        var receiver = ReceiverDescription()
        receiver.path = "/dev/ttyACM0"
        let receivers = [receiver]
        #expect(problems { $0.post(receivers: receivers) } == [])
        #expect(
            problems { $0.post(receivers: []) }
                == ["gps missing: The position source responds but has no receiver. Plug one in."])
        #expect(
            problems { $0.setStatus(.unavailable(DeviceError(.unreachable, "Nobody listens."))) }
                == ["gps missing: Nobody listens.", "location-services missing: Nobody listens."])
    }

    @Test("Both forms of the property list value are accepted, and another type is a problem")
    func propertyList() {
        let test = UIDeviceBench([.magnetometer])
        #expect(Self.problems(test) { $0.problems(requirement: nil) } == [])
        #expect(Self.problems(test) { $0.problems(requirement: ["magnetometer"] as [Any]) } == [])
        #expect(
            Self.problems(test) { $0.problems(requirement: ["magnetometer": false, "gps": true] as [String: Any]) }
                == ["gps missing", "magnetometer forbidden"])
        #expect(Self.problems(test) { $0.problems(requirement: 1) } == ["UIRequiredDeviceCapabilities unknown"])
    }

    @Test(
        "The requirements are read from the Info.plist of a bundle",
        arguments: [
            ("<array><string>gyroscope</string></array>", ["gyroscope missing"]),
            ("<dict><key>accelerometer</key><false/><key>gyroscope</key><false/></dict>", ["accelerometer forbidden"]),
        ])
    func bundle(requirement: String, expected: [String]) throws {
        let folder = try TemporaryFolder()
        try folder.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>UIRequiredDeviceCapabilities</key>\(requirement)</dict></plist>
            """, to: "Test.bundle/Contents/Info.plist")
        let bundle = try #require(Bundle(path: folder.path + "/Test.bundle"))
        #expect(Self.problems(UIDeviceBench()) { $0.problems(requiredBy: bundle) } == expected)
    }
}
