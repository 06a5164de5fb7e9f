// SPDX-License-Identifier: Apache-2.0

/// A device or a trigger in a context.
public struct IIODevice: Sendable, Hashable {
    /// The ID, for example "iio:device0" for a device or "trigger0" for a trigger.
    public package(set) var id: String
    /// The name from the driver, for example "mpu6050", or empty if there is none. Names are not unique.
    public package(set) var name: String
    /// The label from the firmware, for example "accel-display", or empty if there is none.
    public package(set) var label: String
    package var channels: [IIOChannel]
    package var attributes: [IIOAttribute]
    package var debugAttributes: [IIOAttribute]
    package var bufferAttributes: [IIOAttribute]

    package init(
        id: String, name: String = "", label: String = "", channels: [IIOChannel] = [],
        attributes: [IIOAttribute] = [], debugAttributes: [IIOAttribute] = [], bufferAttributes: [IIOAttribute] = []
    ) {
        (self.id, self.name, self.label, self.channels) = (id, name, label, channels)
        (self.attributes, self.debugAttributes, self.bufferAttributes) = (attributes, debugAttributes, bufferAttributes)
    }

    package var isTrigger: Bool { id.hasPrefix("trigger") }

    package func channel(_ id: String) -> IIOChannel? { channels.first { $0.id == id && !$0.isOutput } }

    package func attribute(_ name: String) -> IIOAttribute? { attributes.first { $0.name == name } }
}

extension IIODevice {
    /// The device's position on the machine, for example "base", "display" or "lid", or empty if unknown. It is the
    /// driver's `location` attribute or, if there is none, the part of the label after "accel-".
    package var location: String {
        if let text = attribute("location")?.text, !text.isEmpty { return text }
        return label.hasPrefix("accel-") ? String(label.dropFirst("accel-".count)) : ""
    }

    /// The chip's serial number, or empty if unknown or all zeros. Only a few drivers provide it.
    package var serial: String {
        let text = attribute("serialnumber")?.text ?? ""
        return text.allSatisfy { $0 == "0" } ? "" : text
    }

    /// The name of the clock that the kernel uses for timestamps, for example "realtime", or empty if unknown.
    package var timestampClock: String { attribute("current_timestamp_clock")?.text ?? "" }

    package var timestampChannel: Int? {
        channels.firstIndex { $0.id == "timestamp" && !$0.isOutput && ($0.scan?.index ?? -1) >= 0 }
    }

    /// Returns the layout of scans with the given channels, or nil if a channel does not exist or cannot be captured.
    package func layout(of wanted: some Sequence<Int>) -> IIOScanLayout? {
        var elements: [(channel: Int, scan: IIOScanElement)] = []
        for channel in wanted {
            guard channels.indices.contains(channel), let scan = channels[channel].scan, scan.index >= 0 else {
                return nil
            }
            if !elements.contains(where: { $0.channel == channel }) { elements.append((channel, scan)) }
        }
        return IIOScanLayout(elements)
    }
}

/// A channel of a device, for example an axis or the timestamp.
package struct IIOChannel: Sendable, Hashable {
    /// The channel ID, which consists of the type and the modifier, for example "accel_x" or "timestamp".
    package var id: String
    package var name: String
    package var isOutput: Bool
    package var scan: IIOScanElement?
    package var attributes: [IIOAttribute]

    package init(
        id: String, name: String = "", isOutput: Bool = false, scan: IIOScanElement? = nil,
        attributes: [IIOAttribute] = []
    ) {
        (self.id, self.name, self.isOutput, self.scan, self.attributes) = (id, name, isOutput, scan, attributes)
    }

    package func attribute(_ name: String) -> IIOAttribute? { attributes.first { $0.name == name } }
}

/// An attribute of a context, device, channel or buffer.
package struct IIOAttribute: Sendable, Hashable {
    /// The name without the device or channel prefix, for example "scale".
    package var name: String
    /// The file name in sysfs, for example "in_accel_scale". If there is no file, it is the same as the name.
    package var filename: String
    /// The value when the attribute was last read, or nil if unknown.
    package var value: String?

    package init(name: String, filename: String? = nil, value: String? = nil) {
        (self.name, self.filename, self.value) = (name, filename ?? name, value)
    }

    /// The value without leading and trailing NUL bytes, line terminators and spaces, or nil if unknown.
    package var text: String? { value.map { String(IIONumber.trimmed($0)) } }
    /// The value as a number, or nil if unknown or not finite. The decimal separator is a point.
    package var number: Double? { value.flatMap { IIONumber.double($0) } }
}
