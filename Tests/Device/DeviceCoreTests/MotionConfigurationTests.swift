// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import DeviceCore

@Suite("Configuration of motion sensors")
struct MotionConfigurationTests {
    private static func load(_ environment: [String: String] = [:], file: String? = nil) -> Configuration {
        Configuration.load(
            environment: environment,
            readFile: { $0 == "/etc/device-services.json" ? file.map { [UInt8]($0.utf8) } : nil })
    }

    @Test("By default, the kernel's local sensors are used")
    func defaults() {
        let configuration = Self.load()
        #expect(configuration.motionSources.value == [.local])
        #expect(configuration.motionSources.origin == .standard)
        #expect(configuration.sensors.value.isEmpty)
    }

    @Test("The environment overrides the file")
    func environment() throws {
        let file = #"{"motion": {"sources": ["usb:"]}}"#
        #expect(Self.load(file: file).motionSources.value.map(\.description) == ["usb:"])
        let configuration = Self.load(["DEVICE_SERVICES_IIO": "ip:127.0.0.1:4000,local:"], file: file)
        #expect(configuration.motionSources.value.map(\.description) == ["ip:127.0.0.1:4000", "local:"])
        #expect(configuration.motionSources.origin == .environment("DEVICE_SERVICES_IIO"))
        let wrong = Self.load(["DEVICE_SERVICES_IIO": "ip:,local:"], file: file)
        #expect(wrong.motionSources.value.map(\.description) == ["usb:"])
        #expect(wrong.problems.first?.message.hasPrefix("DEVICE_SERVICES_IIO: ") == true)
    }

    @Test("The first 100 sources and sensors of a longer list are used, and the rest is reported")
    func longLists() {
        let sources = (0..<101).map { #""ip:host\#($0)""# }.joined(separator: ",")
        let sensors = (0..<101).map { #"{"sensor": "s\#($0)"}"# }.joined(separator: ",")
        let configuration = Self.load(file: #"{"motion": {"sources": [\#(sources)], "sensors": [\#(sensors)]}}"#)
        #expect(configuration.motionSources.value.count == 100)
        #expect(configuration.sensors.value.count == 100)
        #expect(configuration.problems.count == 2)
        for (problem, name) in zip(configuration.problems, ["sources", "sensors"]) {
            #expect(
                problem.message.hasSuffix("motion.\(name) has more than 100 elements. The rest is ignored."),
                "\(problem)")
        }
    }

    @Test("A file configures the properties of a sensor")
    func sensors() {
        let configuration = Self.load(
            file: """
                {"motion": {"sensors": [
                  {"sensor": "accel-display", "kind": "accelerometer", "mountMatrix": "0,-1,0; 1,0,0; 0,0,1",
                   "convention": "windows", "trigger": "my-trigger", "polled": true},
                  {"sensor": "mpu6050"}]}}
                """)
        #expect(configuration.problems.isEmpty)
        let rotated = SensorSetting(
            sensor: "accel-display", kind: .accelerometer,
            mountMatrix: MountMatrix([0, -1, 0], [1, 0, 0], [0, 0, 1]),
            convention: .windows, trigger: "my-trigger", isPolled: true)
        #expect(configuration.sensors.value == [rotated, SensorSetting(sensor: "mpu6050")])
        var description = SensorDescription(id: "local:/iio:device0/accel", kind: .accelerometer)
        #expect(!rotated.applies(to: description))
        description.label = "accel-display"
        #expect(rotated.applies(to: description))
        description.kind = .gyroscope
        #expect(!rotated.applies(to: description))
    }

    @Test(
        "A sensor setting with an invalid value is ignored entirely, and the error is reported",
        arguments: [
            (#"{"kind": "sonar"}"#, "is not one of accelerometer"), (#"{"convention": "x"}"#, "is not one of kernel"),
            (#"{"mountMatrix": "1,0,0;0,1,0"}"#, "is not nine numbers"),
            (#"{"mountMatrix": "1,0,0;0,0,0;0,0,1"}"#, "is a singular matrix"),
            (#"{"polled": 1}"#, "is not true or false"),
            (#"{"trigger": []}"#, "is not a string"),
        ])
    func invalidSensors(sensor: String, problem: String) {
        let configuration = Self.load(file: #"{"motion": {"sensors": [\#(sensor), {"sensor": "good"}]}}"#)
        #expect(configuration.sensors.value == [SensorSetting(sensor: "good")])
        #expect(configuration.problems.count == 1)
        #expect(configuration.problems.first?.message.contains(problem) == true)
    }

    @Test("Values of the wrong type and unknown settings are reported and ignored")
    func shapes() {
        let file = #"{"motion": {"sources": "local:", "sensors": {"a": 1}, "speed": 3}, "position": {"receiver": "x"}}"#
        let configuration = Self.load(file: file)
        #expect(configuration.motionSources.value == [.local])
        #expect(configuration.receiver.value == "x")
        #expect(configuration.problems.map(\.message.count).count == 3)
        let motion = Self.load(file: #"{"motion": [1, 2]}"#)
        #expect(motion.problems.first?.message.contains("motion is not an object") == true)
    }
}
