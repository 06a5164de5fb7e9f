// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat

/// Which attributes are read once, when a context is opened.
enum AttributeChoice {
    private static let prefixes = SensorKind.allCases.map { $0.isVector ? "\($0.channelType)_" : $0.channelType }
    private static let parts = [
        "scale", "offset", "matrix", "sampling_frequency", "label", "location", "clock", "calib", "hysteresis",
        "filter", "name", "serial",
    ]

    /// True for a device that may hold motion sensors, or for a trigger, whose rate may count.
    static func describes(_ device: IIODevice) -> Bool {
        device.isTrigger || device.channels.contains { channel in prefixes.contains { channel.id.hasPrefix($0) } }
    }

    /// True for an attribute that describes a sensor. Readings are left alone: each is work for the hardware.
    static func isNeeded(_ name: String) -> Bool {
        parts.contains { part in
            name.indices.contains { name[$0...].hasPrefix(part) }
        }
    }
}
