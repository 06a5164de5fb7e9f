// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Identifies a device's attachment point by the sysfs path of its parent. The path omits numbers that change when a
/// HID sensor hub is reconnected, such as the last number in `0003:8086:0001.0004` or in `HID-SENSOR-200073.2.auto`.
/// For a sensor without a serial number, the path is part of `SensorIdentity.key`, which identifies stored
/// calibrations. If the format or numbering of the paths changed, these calibrations would no longer be found.
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

    /// Appends numbers to the paths of otherwise indistinguishable sensors, such as two accelerometers on one HID hub.
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
