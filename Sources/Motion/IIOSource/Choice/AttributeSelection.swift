// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat

/// Chooses the attributes whose values are read when a context is opened. In `IIOContext`, the others have no value.
enum AttributeSelection {
    private static let prefixes = SensorKind.allCases.map { $0.isVector ? "\($0.channelType)_" : $0.channelType }
    private static let parts = [
        "scale", "offset", "matrix", "sampling_frequency", "label", "location", "clock", "calib", "hysteresis",
        "filter", "name", "serial",
    ]

    /// Returns true if the device may have motion sensors, or is a trigger, whose rate may be needed.
    static func mayHaveSensors(_ device: IIODevice) -> Bool {
        device.isTrigger || device.channels.contains { channel in prefixes.contains { channel.id.hasPrefix($0) } }
    }

    /// Returns true if the attribute describes a sensor. Reading other attributes would trigger measurements.
    static func isNeeded(_ name: String) -> Bool {
        parts.contains { part in name.indices.contains { name[$0...].hasPrefix(part) } }
    }
}
