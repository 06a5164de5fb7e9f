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
    /// The name from `DeviceNameTable`, which identifies the device in the sensor IDs.
    let key: String
    /// The device's name, label and channel IDs. `DeviceNameTable` recognizes the device by this text. Never stored in
    /// a file.
    let fingerprint: String
    var members: [Member]
    /// The configured trigger, or nil to choose one automatically.
    let trigger: String?
    let isPolled: Bool
    /// True if the sensor reports only changes, so a lack of samples does not indicate a failure.
    let isEventDriven: Bool

    /// `udev` returns a udev property of a device. `key` returns the name for `DeviceGroup.key`.
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
                    // The `hysteresis` attribute of a HID sensor is the smallest change that the sensor reports.
                    sensor.axes.contains { axis in
                        device.channels.indices.contains(axis.channel)
                            && device.channels[axis.channel].attribute("hysteresis") != nil
                    }
                })
        }
        AttachmentPath.numberDuplicates(in: &groups)
        return groups
    }

    /// Sets the status of the usable sensors to unknown, except for those at the given indices. Called when the device
    /// is set up again or is no longer needed. A failure sets the status of all of the device's sensors, so resetting
    /// it ensures that new subscribers do not receive a past failure.
    func resetStatus(in hub: MotionHub, except active: [Int]) {
        for (index, member) in members.enumerated() where member.sensor.isUsable && !active.contains(index) {
            hub.setStatus(.unknown, of: member.description.id)
        }
    }

    private static func describe(
        _ sensor: IIOSensor, of device: IIODevice, key: String, address: MotionSourceAddress,
        settings: [SensorSetting], udev: (_ property: String) -> String?
    ) -> SensorDescription {
        // Configuration files may refer to a sensor by its ID, so its format must not change.
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
