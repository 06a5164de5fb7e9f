// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The place in the machine at which a device is attached, without numbers that the kernel gives in the order of discovery.
///
/// A HID device has such a number, as in `0003:8086:0001.0004`, and so has each sensor of a HID hub, as in
/// `HID-SENSOR-200073.2.auto`: both are others after the hub was plugged in again.
enum AttachmentPath {
    /// The path of the device's parent, for a device at `/devices/platform/soc/i2c-1/1-0068/iio:device0` for example
    /// "platform/soc/i2c-1/1-0068".
    static func stable(_ devicePath: String) -> String {
        let parts = devicePath.split(separator: "/").drop { $0 == "devices" }
        return parts.dropLast().map(withoutCounter).joined(separator: "/")
    }

    private static func withoutCounter(_ part: Substring) -> Substring {
        if part.hasSuffix(".auto") {
            let name = part.dropLast(".auto".count)
            return droppingNumber(name, radix: 10) ?? part
        }
        let numbers = part.split(separator: ":", omittingEmptySubsequences: false)
        let isHID =
            numbers.count == 3 && numbers.dropLast().allSatisfy { $0.count == 4 && UInt16($0, radix: 16) != nil }
        return isHID ? droppingNumber(part, radix: 16) ?? part : part
    }

    /// A name without the number after its last dot; nil when it has none.
    private static func droppingNumber(_ name: Substring, radix: Int) -> Substring? {
        guard let dot = name.lastIndex(of: "."), Int(name[name.index(after: dot)...], radix: radix) != nil else {
            return nil
        }
        return name[..<dot]
    }

    /// Numbers the paths of sensors that nothing else tells apart, such as two accelerometers of one HID hub, in the order in
    /// which the kernel lists them.
    static func number(_ units: inout [SensorUnit]) {
        var counts: [String: Int] = [:]
        for unit in units.indices {
            for member in units[unit].members.indices {
                let description = units[unit].members[member].description
                guard description.serial.isEmpty, !description.path.isEmpty else { continue }
                let count = counts[SensorIdentity(description).key, default: 0] + 1
                counts[SensorIdentity(description).key] = count
                if count > 1 { units[unit].members[member].description.path += "#\(count)" }
            }
        }
    }
}
