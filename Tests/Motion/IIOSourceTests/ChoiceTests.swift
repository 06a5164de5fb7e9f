// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Testing

@testable import IIOSource

@Suite("Choice of capture settings")
struct ChoiceTests {
    // MARK: Triggers

    private static func decide(
        _ triggers: [String], state: IIOTriggerState? = .some(.none), configured: String? = nil,
        parents: [Int: String] = [:]
    ) -> TriggerSelection.Decision {
        var context = IIOContext(devices: [Devices.imu(id: "iio:device3")])
        for (index, name) in triggers.enumerated() {
            context.devices.append(IIODevice(id: "trigger\(index)", name: name))
        }
        return TriggerSelection.decide(
            device: 0, context: context, configured: configured, state: state, parent: { parents[$0] })
    }

    @Test("A trigger named after the device and its number takes precedence")
    func ownTrigger() {
        #expect(Self.decide(["sysfstrig1", "mpu6050-trigger", "mpu6050-dev3"]) == .set(3))
    }

    @Test("A trigger named after the device without a number is used")
    func namedTrigger() {
        #expect(Self.decide(["sysfstrig1", "mpu6050-trigger"]) == .set(2))
        #expect(Self.decide(["mpu6050-any-motion"]) == .set(1))
    }

    @Test("Without a matching name, the trigger of the same chip is used")
    func sameParent() {
        #expect(Self.decide(["a", "b"], parents: [0: "/chip", 1: "/other", 2: "/chip"]) == .set(2))
    }

    @Test("An already assigned trigger is kept")
    func assignedTrigger() {
        #expect(Self.decide(["mpu6050-dev3"], state: .set(nil)) == .keep)
    }

    @Test("A device without trigger support is not changed")
    func noTrigger() {
        #expect(Self.decide(["mpu6050-dev3"], state: nil) == .keep)
    }

    @Test("Without any trigger, the decision lists the expected names")
    func triggerMissing() {
        #expect(Self.decide([]) == .withoutTrigger(["mpu6050-dev3", "mpu6050-trigger"]))
    }

    @Test("The configured trigger takes precedence, and a missing one is reported by name")
    func configuredTrigger() {
        #expect(Self.decide(["mpu6050-dev3", "mine"], state: .set(1), configured: "mine") == .set(2))
        #expect(Self.decide(["mpu6050-dev3"], configured: "mine") == .missing("mine", offered: ["mpu6050-dev3"]))
    }

    // MARK: Clock and rate

    @Test("Boot time is the preferred clock, and clocks that cannot be set are preferred to those that can")
    func clocks() {
        #expect(ClockSelection.preferredClocks(over: "realtime") == ["boottime", "monotonic", "monotonic_raw"])
        #expect(ClockSelection.preferredClocks(over: "monotonic") == ["boottime"])
        #expect(ClockSelection.preferredClocks(over: "boottime") == [])
    }

    @Test("The lowest sufficient rate of the list is written, or the highest one if none suffices")
    func listedRates() {
        let offered = SensorRates.list([0, 12.5, 25, 50, 100])
        #expect(RateSelection.rate(wanted: 30, offered: offered, current: 12.5) == 50)
        #expect(RateSelection.rate(wanted: 500, offered: offered, current: 12.5) == 100)
        #expect(RateSelection.rate(wanted: .infinity, offered: offered, current: 12.5) == 100)
        #expect(RateSelection.rate(wanted: 50, offered: offered, current: 50) == nil)
    }

    @Test("A default rate of 0 or 1 Hz is raised if no rate was requested")
    func lowDefaults() {
        #expect(RateSelection.rate(wanted: 0, offered: .list([0, 1, 12.5, 25]), current: 0) == 12.5)
        #expect(RateSelection.rate(wanted: 0, offered: .list([1, 10, 100]), current: 1) == 10)
        #expect(RateSelection.rate(wanted: 0, offered: .list([1, 10, 100]), current: 100) == nil)
    }

    @Test("Without a list, a requested rate is written only if it is higher; in a range, it is rounded up")
    func otherRates() {
        #expect(RateSelection.rate(wanted: 100, offered: .unknown, current: 50) == 100)
        #expect(RateSelection.rate(wanted: 20, offered: .unknown, current: 50) == nil)
        #expect(RateSelection.rate(wanted: 20, offered: .unknown, current: nil) == nil)
        #expect(RateSelection.rate(wanted: 33, offered: .range(minimum: 10, step: 10, maximum: 100), current: 10) == 40)
    }

    @Test("Integers are written without decimals, and other numbers without an exponent")
    func numbers() {
        #expect(AttributeNumber.text(10) == "10")
        #expect(AttributeNumber.text(12.5) == "12.5")
        #expect(AttributeNumber.text(0.05) == "0.05")
        #expect(AttributeNumber.text(1.0 / 3) == "0.333333")
        #expect(AttributeNumber.text(-2.25) == "-2.25")
    }

    @Test(
        "Attribute values are parsed with and without decimals",
        arguments: [
            ("-1234\n", -1234.0), ("0.125\n", 0.125), ("17", 17), ("1013.25\0", 1013.25), ("-0.5", -0.5),
        ])
    func readNumbers(text: String, value: Double) {
        #expect(Array(text.utf8).withUnsafeBytes { AttributeNumber.read($0) } == value)
    }

    @Test("An invalid number is parsed as NaN")
    func noNumbers() {
        for text in ["", "-", "1,5", "abc", "12x"] {
            #expect(Array(text.utf8).withUnsafeBytes { AttributeNumber.read($0) }.isNaN)
        }
    }

    // MARK: Sizes and times

    @Test("A refill contains as many samples as fit into the latency")
    func sizes() {
        func samples(_ rate: Double, _ latency: Double, forced: Int? = nil) -> Int {
            BufferPlan(rate: rate, latency: latency, samples: forced, isLocal: true, isEventDriven: false).samples
        }
        #expect(samples(100, 0) == 1)
        #expect(samples(100, 0.1) == 10)
        #expect(samples(100, 0.009) == 1)
        // At 6.6 kHz, refills are limited to about a thousand wake-ups per second.
        #expect(samples(6600, 0) == 6)
        #expect(samples(1000, 60) == BufferPlan.maximumSamples)
        #expect(samples(100, .infinity) == BufferPlan.maximumSamples)
        #expect(samples(100, 0, forced: 256) == 256)
    }

    @Test(
        "For arbitrary rates and requests, sizes and times stay within their limits",
        arguments: [
            0, -1, .nan, .infinity, .leastNonzeroMagnitude, 1e-9, 100, 1e12, .greatestFiniteMagnitude,
        ] as [Double])
    func hostileRates(rate: Double) {
        for latency in [0, -1, .leastNonzeroMagnitude, 0.01, 1e300, .infinity, .nan] as [Double] {
            for forced in [nil, Int.min, 0, 1, Int.max] as [Int?] {
                let plan = BufferPlan(
                    rate: rate, latency: latency, samples: forced, kernelBuffers: forced, isLocal: false,
                    isEventDriven: false)
                #expect((1...BufferPlan.maximumSamples).contains(plan.samples))
                #expect((1...1024).contains(plan.kernelBuffers))
                #expect(plan.startTimeout >= 0.5 && plan.stallTimeout >= 1 && plan.timeout >= 5)
            }
        }
        // An excessive rate is capped instead of written as 0, which would switch the sensor off.
        let written = RateSelection.rate(wanted: 1e13, offered: .unknown, current: 50).map { AttributeNumber.text($0) }
        #expect(written == "100000")
    }

    @Test("The timeout of a network refill is four times its duration plus one second; a local one has no timeout")
    func timeouts() {
        let network = BufferPlan(rate: 100, latency: 2, isLocal: false, isEventDriven: false)
        #expect(network.samples == 200)
        // 4 * 200 / 100 Hz + 1 s
        #expect(network.timeout == 9)
        #expect(BufferPlan(rate: 100, latency: 0, isLocal: false, isEventDriven: false).timeout == 5)
        #expect(BufferPlan(rate: 100, latency: 0, isLocal: true, isEventDriven: false).timeout == 0)
    }

    @Test("The kernel buffers hold half a second of samples")
    func kernelBuffers() {
        #expect(BufferPlan(rate: 100, latency: 0, isLocal: true, isEventDriven: false).kernelBuffers == 50)
        #expect(BufferPlan(rate: 100, latency: 1, isLocal: true, isEventDriven: false).kernelBuffers == 4)
    }

    // MARK: Sensors

    @Test("An accelerometer in the display precedes one in the keyboard, and buffered sensors precede polled ones")
    func order() {
        var base = SensorDescription(id: "base", kind: .accelerometer)
        base.location = "base"
        var labelled = SensorDescription(id: "labelled", kind: .accelerometer)
        labelled.label = "accel-base"
        var polled = SensorDescription(id: "polled", kind: .accelerometer)
        polled.mode = .polled
        let good = SensorDescription(id: "good", kind: .accelerometer)
        #expect(
            SensorRanking.sorted([base, labelled, polled, good]).map(\.id) == ["good", "polled", "base", "labelled"])
    }

    @Test("A device that is reconnected under another number keeps its name")
    func names() {
        var names = DeviceNameTable()
        #expect(
            names.update([("iio:device0", "a"), ("iio:device1", "b")]) == [
                "iio:device0": "iio:device0", "iio:device1": "iio:device1",
            ])
        #expect(names.update([("iio:device1", "b")]) == ["iio:device1": "iio:device1"])
        #expect(names.update([("iio:device1", "b"), ("iio:device2", "a")])["iio:device2"] == "iio:device0")
        // Another model under the old number is a different device.
        #expect(names.update([("iio:device0", "c"), ("iio:device2", "a")])["iio:device0"] != "iio:device0")
    }

    @Test("Models that take turns under one number have distinct names")
    func namesOfModels() {
        var names = DeviceNameTable()
        _ = names.update([("iio:device0", "a"), ("iio:device1", "b")])
        // Both are reconnected in the other order and keep their names, so "iio:device0" is in use under number 1.
        _ = names.update([])
        _ = names.update([("iio:device0", "b"), ("iio:device1", "a")])
        _ = names.update([("iio:device0", "c"), ("iio:device1", "a")])
        _ = names.update([("iio:device0", "d"), ("iio:device1", "a")])
        let all = names.update([("iio:device0", "d"), ("iio:device1", "a"), ("iio:device2", "c")])
        #expect(all["iio:device1"] == "iio:device0")
        #expect(Set(all.values).count == 3)
    }

    @Test("The udev properties of an accelerometer set its location and mount matrix, converted from systemd's axes")
    func udev() throws {
        let udev = ["ACCEL_LOCATION": "base", "ACCEL_MOUNT_MATRIX": "0, 1, 0; -1, 0, 0; 0, 0, 1"]
        let group = try #require(
            DeviceGroup.groups(
                in: Devices.context, address: .local, settings: [], udev: { property, _ in udev[property] },
                key: { id, _ in id }
            ).first)
        let accelerometer = group.members[0].description
        #expect(accelerometer.location == "base")
        #expect(accelerometer.mountMatrix == MountMatrix([0, -1, 0], [1, 0, 0], [0, 0, 1]))
        #expect(accelerometer.mountMatrixOrigin.contains("ACCEL_MOUNT_MATRIX"))
        #expect(group.members[1].description.mountMatrix.isIdentity)
        #expect(group.members[1].description.location.isEmpty)
    }

    @Test(
        "The attachment path does not change when the device is reconnected",
        arguments: [
            ("/devices/platform/soc/i2c-1/1-0068/iio:device0", "platform/soc/i2c-1/1-0068"),
            (
                "/devices/pci0/usb1/1-1/1-1:1.0/0003:8086:0001.000A/HID-SENSOR-200073.12.auto/iio:device3",
                "pci0/usb1/1-1/1-1:1.0/0003:8086:0001/HID-SENSOR-200073"
            ),
            ("/devices/platform/dln2-i2c.3.auto/i2c-7/7-0068/iio:device1", "platform/dln2-i2c.3.auto/i2c-7/7-0068"),
            ("/devices/HID-SENSOR-x.auto/iio:device1", "HID-SENSOR-x.auto"),
            ("/devices/a.b:c.1/0003:8086.1/iio:device0", "a.b:c.1/0003:8086.1"),
            ("iio:device0", ""), ("", ""),
        ])
    func stablePath(devicePath: String, path: String) {
        #expect(AttachmentPath.stable(devicePath) == path)
    }

    @Test("Two sensors of the same type on one hub keep distinct paths after the hub is reconnected")
    func sensorsOfOneHub() throws {
        // libiio lists iio:device10 before iio:device9.
        func paths(first: Int, isSorted: Bool) throws -> [String: String] {
            var context = IIOContext()
            for number in isSorted ? [first, first + 1] : [first + 1, first] {
                var device = Devices.context.devices[0]
                device.id = "iio:device\(number)"
                context.devices.append(device)
            }
            let groups = DeviceGroup.groups(
                in: context, address: .local, settings: [],
                udev: { property, index in
                    let id = context.devices[index].id
                    let cell = id == "iio:device\(first)" ? first : first + 1
                    return property == "DEVPATH"
                        ? "/devices/0003:8086:0001.00\(first + 10)/HID-SENSOR-200073.\(cell).auto/\(id)" : nil
                },
                key: { id, _ in id })
            var paths: [String: String] = [:]
            for group in groups {
                let member = try #require(group.members.first { $0.sensor.kind == .accelerometer })
                paths[group.deviceID == "iio:device\(first)" ? "first" : "second"] = member.description.path
            }
            return paths
        }
        let expected = [
            "first": "0003:8086:0001/HID-SENSOR-200073", "second": "0003:8086:0001/HID-SENSOR-200073#2",
        ]
        let registered = try paths(first: 2, isSorted: true)
        #expect(registered == expected)
        let sortedAsText = try paths(first: 9, isSorted: false)
        #expect(sortedAsText == expected)
    }

    @Test(
        "The driver's serial number is read, and a serial number of zeros is ignored",
        arguments: [
            ("30313233343536373839616263646566\n", "30313233343536373839616263646566"), ("00000000", ""), ("", ""),
        ])
    func serial(attribute: String, serial: String) throws {
        #expect(AttributeSelection.isNeeded("serialnumber"))
        var context = Devices.context
        context.devices[0].attributes.append(IIOAttribute(name: "serialnumber", value: attribute))
        let group = try #require(
            DeviceGroup.groups(in: context, address: .local, settings: [], key: { id, _ in id }).first)
        #expect(group.members.map(\.description.serial) == [serial, serial])
    }

    @Test("A property is read from the udev record by its exact name")
    func udevRecord() {
        let record = """
            I:7201337
            E:XACCEL_MOUNT_MATRIX=9
            E:ACCEL_MOUNT_MATRIX=0, 1, 0; 1, 0, 0; 0, 0, 1
            E:ID_PATH=platform-x
            G:systemd
            """
        #expect(UdevDatabase.property("ACCEL_MOUNT_MATRIX", in: record) == "0, 1, 0; 1, 0, 0; 0, 0, 1")
        #expect(UdevDatabase.property("ID_PATH", in: record) == "platform-x")
        #expect(UdevDatabase.property("ACCEL", in: record) == nil)
        #expect(UdevDatabase.property("ACCEL_MOUNT_MATRIX", in: "") == nil)
        // An invalid device number is not used as a path.
        #expect(UdevDatabase.property("ID_PATH", device: "../x", node: "../../etc/passwd") == nil)
    }

    @Test("The retry delay doubles up to its limit and is never zero")
    func backoff() {
        var backoff = Backoff(first: 0.25, limit: 1)
        #expect((0..<4).map { _ in backoff.nextDelay() } == [0.25, 0.5, 1, 1])
        backoff.reset()
        #expect(backoff.nextDelay() == 0.25)
        var none = Backoff(first: 0, limit: 0)
        #expect(none.nextDelay() > 0)
    }

    // MARK: Error messages

    @Test("A missing permission is reported with the device node and a udev rule")
    func permission() {
        let error = IIOFailure("open", 13).error(.capture(device: "iio:device0", triggers: [], address: .local))
        #expect(error.code == .permissionDenied)
        #expect(error.message.contains("/dev/iio:device0"))
        #expect(error.message.contains("GROUP=\"iio\", MODE=\"0660\""))
    }

    @Test("A missing trigger is reported by name")
    func triggerSentence() {
        let error = IIOFailure("create", 22).error(
            .capture(device: "iio:device0", triggers: ["mpu6050-dev0"], address: .local))
        #expect(error.message.contains("mpu6050-dev0"))
        #expect(error.cause == .system(call: "create", errno: 22))
    }

    @Test("A busy device is reported as busy", arguments: [MotionSourceAddress.local])
    func busy(address: MotionSourceAddress) {
        let error = IIOFailure("open", 16).error(.capture(device: "iio:device0", triggers: [], address: address))
        #expect(error.code == .busy)
        #expect(error.message.contains("fuser"))
    }

    @Test(
        "If the sensor is faster than all subscribers, a refill covers the whole requested interval",
        arguments: [
            (100, 10, 0, 10, 10), (100, 10, 0.25, 20, 10), (100.5, 10, 0, 10, 10), (99.95, 10, 0, 10, 10),
            // For rates that are not multiples, the factor leaves four samples per interval, or is 1.
            (104, 10, 0, 2, 2), (1000, 60, 0, 4, 4), (25, 10, 0, 1, 1), (12.5, 10, 0, 1, 1),
            // At most 0.1 s of samples.
            (100, 9, 0, 2, 2), (100, 1, 0, 10, 10), (100, 0.01, 0, 10, 10), (0.5, 0.01, 0, 1, 1),
            (8000, 0.2, 0, 800, 800),
            // A request for any rate and one for the maximum rate.
            (100, 0, 0, 1, 1), (100, .infinity, 0, 1, 1),
        ] as [(rate: Double, wanted: Double, latency: Double, samples: Int, decimation: Int)])
    func decimation(rate: Double, wanted: Double, latency: Double, samples: Int, decimation: Int) {
        func plan(_ wanted: Double?, forced: Int? = nil, isEventDriven: Bool = false) -> BufferPlan {
            BufferPlan(
                rate: rate, latency: latency, wanted: wanted, samples: forced, isLocal: true,
                isEventDriven: isEventDriven)
        }
        #expect(plan(wanted).samples == samples && plan(wanted).decimation == decimation)
        for undecimated in [plan(nil), plan(wanted, forced: 1), plan(wanted, isEventDriven: true)] {
            #expect(undecimated.decimation == 1)
        }
    }
}
