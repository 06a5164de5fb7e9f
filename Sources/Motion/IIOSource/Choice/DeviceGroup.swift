// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat

/// The motion sensors of one IIO device, which share the device's buffer and are read together.
struct DeviceGroup {
    struct Member {
        var description: SensorDescription
        let sensor: IIOSensor
    }

    /// The index of the device in the context.
    let device: Int
    let deviceID: String
    /// The persistent name (see `PersistentDeviceNames`), which identifies the device in the sensor IDs.
    let key: String
    /// A fingerprint, which is the same for all devices of one model and after a reconnection.
    let fingerprint: String
    var members: [Member]
    let trigger: String?
    let isPolled: Bool
    /// True if the sensor reports only changes, so a lack of samples does not indicate a failure.
    let isEventDriven: Bool

    /// `udev` returns a udev property of a device. `key` returns the persistent name of a device.
    static func groups(
        in context: IIOContext, address: MotionSourceAddress, settings: [SensorSetting],
        udev: (_ property: String, _ device: Int) -> String? = { _, _ in nil },
        key: (_ id: String, _ fingerprint: String) -> String
    ) -> [DeviceGroup] {
        var groups: [DeviceGroup] = context.devices.indices.compactMap { index in
            let device = context.devices[index]
            guard !device.isTrigger else { return nil }
            let sensors = device.sensors()
            guard !sensors.isEmpty else { return nil }
            let fingerprint = ([device.name, device.label] + device.channels.map(\.id)).joined(separator: "/")
            let key = key(device.id, fingerprint)
            let members = sensors.map { sensor in
                Member(
                    description: describe(sensor, of: device, key: key, address: address, settings: settings) {
                        udev($0, index)
                    }, sensor: sensor)
            }
            let applying = settings.filter { setting in members.contains { setting.applies(to: $0.description) } }
            return DeviceGroup(
                device: index, deviceID: device.id, key: key, fingerprint: fingerprint, members: members,
                trigger: applying.lazy.compactMap(\.trigger).first, isPolled: applying.contains { $0.isPolled },
                isEventDriven: sensors.contains { sensor in
                    // The hysteresis of a HID sensor is the smallest change that it reports.
                    sensor.axes.contains { axis in
                        device.channels.indices.contains(axis.channel)
                            && device.channels[axis.channel].attribute("hysteresis") != nil
                    }
                })
        }
        AttachmentPath.numberDuplicates(in: &groups)
        return groups
    }

    private static func describe(
        _ sensor: IIOSensor, of device: IIODevice, key: String, address: MotionSourceAddress,
        settings: [SensorSetting], udev: (_ property: String) -> String?
    ) -> SensorDescription {
        var description = SensorDescription(id: "\(address)/\(key)/\(sensor.kind.channelType)", kind: sensor.kind)
        description.name = sensor.name
        description.label = sensor.label
        description.location = sensor.location
        description.source = address.description
        description.serial = device.serial
        description.rates = sensor.rates
        description.mountMatrix = sensor.mountMatrix
        description.mountMatrixOrigin = sensor.mountMatrixOrigin
        description.remarks = sensor.remarks
        if let problem = sensor.problemText { description.remarks.append(problem) }
        let applying = settings.filter { $0.applies(to: description) }
        let isPolled = !sensor.canBuffer || applying.contains { $0.isPolled }
        description.mode = isPolled ? .polled : .buffered
        description.clock = !isPolled && device.timestampChannel != nil ? device.timestampClock : ""
        if sensor.kind == .accelerometer, let location = udev("ACCEL_LOCATION"), !location.isEmpty {
            description.location = location
        }
        if let path = udev("DEVPATH") { description.path = AttachmentPath.stable(path) }
        description.applyMountMatrix(
            from: settings, udevMatrix: udev("ACCEL_MOUNT_MATRIX"), driverRemarks: sensor.mountMatrixRemarks)
        return description
    }
}

/// Chooses the attributes whose values are read when a context is opened. In `IIOContext`, all others have no value.
enum AttributeSelection {
    private static let prefixes = SensorKind.allCases.map { $0.isVector ? "\($0.channelType)_" : $0.channelType }
    private static let parts = [
        "scale", "offset", "matrix", "sampling_frequency", "label", "location", "clock", "calib", "hysteresis",
        "filter", "name", "serial",
    ]

    /// Returns true if the device may have motion sensors, or if it is a trigger, because the rate of a trigger may be
    /// needed.
    static func mayHaveSensors(_ device: IIODevice) -> Bool {
        device.isTrigger || device.channels.contains { channel in prefixes.contains { channel.id.hasPrefix($0) } }
    }

    /// Returns true if the attribute describes a sensor. Reading other attributes would trigger measurements.
    static func isNeeded(_ name: String) -> Bool {
        parts.contains { part in name.indices.contains { name[$0...].hasPrefix(part) } }
    }
}

/// Identifies where a device is attached, by the sysfs path of its parent. The path omits numbers that change when a
/// HID sensor hub is reconnected, such as the last number in `0003:8086:0001.0004` or in `HID-SENSOR-200073.2.auto`.
enum AttachmentPath {
    /// Returns "platform/soc/i2c-1/1-0068" for a device at `/devices/platform/soc/i2c-1/1-0068/iio:device0`.
    static func stable(_ devicePath: String) -> String {
        let parts = devicePath.split(separator: "/").drop { $0 == "devices" }
        return parts.dropLast().map(removingCounter).joined(separator: "/")
    }

    private static func removingCounter(_ part: Substring) -> Substring {
        if part.hasPrefix("HID-SENSOR-"), part.hasSuffix(".auto") {
            return removingNumber(part.dropLast(".auto".count), radix: 10) ?? part
        }
        let numbers = part.split(separator: ":", omittingEmptySubsequences: false)
        let isHID =
            numbers.count == 3 && numbers.dropLast().allSatisfy { $0.count == 4 && UInt16($0, radix: 16) != nil }
        return isHID ? removingNumber(part, radix: 16) ?? part : part
    }

    private static func removingNumber(_ name: Substring, radix: Int) -> Substring? {
        guard let dot = name.lastIndex(of: "."), Int(name[name.index(after: dot)...], radix: radix) != nil else {
            return nil
        }
        return name[..<dot]
    }

    /// Appends numbers to the paths of otherwise indistinguishable sensors, such as two accelerometers of one HID hub.
    /// The numbers follow the order in which the kernel registered the devices.
    static func numberDuplicates(in groups: inout [DeviceGroup]) {
        var counts: [String: Int] = [:]
        for group in groups.indices.sorted(by: { number(of: groups[$0]) < number(of: groups[$1]) }) {
            for member in groups[group].members.indices {
                let description = groups[group].members[member].description
                guard description.serial.isEmpty, !description.path.isEmpty else { continue }
                let key = SensorIdentity(description).key
                let count = counts[key, default: 0] + 1
                counts[key] = count
                if count > 1 { groups[group].members[member].description.path += "#\(count)" }
            }
        }
    }

    private static func number(of group: DeviceGroup) -> Int { Int(group.deviceID.drop { !$0.isNumber }) ?? .max }
}
