// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The sysfs path of a device's parent, without the counters that change when a HID sensor hub is reconnected.
///
/// The kernel counts HID devices, as in `0003:8086:0001.0004`, and the sensors of hubs, as in
/// `HID-SENSOR-200073.2.auto`.
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

    /// Appends "#2", "#3" and so on to the paths of sensors that are otherwise indistinguishable, such as two
    /// accelerometers of one HID hub. The numbers follow the order of registration by the kernel.
    static func numberDuplicates(in units: inout [DeviceGroup]) {
        var counts: [String: Int] = [:]
        for unit in units.indices.sorted(by: { number(of: units[$0]) < number(of: units[$1]) }) {
            for member in units[unit].members.indices {
                let description = units[unit].members[member].description
                guard description.serial.isEmpty, !description.path.isEmpty else { continue }
                let key = SensorIdentity(description).key
                let count = counts[key, default: 0] + 1
                counts[key] = count
                if count > 1 { units[unit].members[member].description.path += "#\(count)" }
            }
        }
    }

    /// Returns the number in an ID, for example 12 for "iio:device12". The order of libiio is not used, because it
    /// sorts IDs as text.
    private static func number(of unit: DeviceGroup) -> Int { Int(unit.deviceID.drop { !$0.isNumber }) ?? .max }
}
