// SPDX-License-Identifier: Apache-2.0

/// A device or a trigger of a context.
public struct IIODevice: Sendable, Hashable {
    /// The device ID, for example "iio:device0", or "trigger0" for a trigger.
    public package(set) var id: String
    /// The name from the driver, for example "mpu6050"; empty if the driver sets no name. Names are not unique.
    public package(set) var name: String
    /// The label from the firmware, for example "accel-display"; empty if the firmware sets no label.
    public package(set) var label: String
    /// The channels, ordered by scan index, followed by channels without a scan index.
    package var channels: [IIOChannel]
    package var attributes: [IIOAttribute]
    package var debugAttributes: [IIOAttribute]
    package var bufferAttributes: [IIOAttribute]

    package init(
        id: String, name: String = "", label: String = "", channels: [IIOChannel] = [],
        attributes: [IIOAttribute] = [], debugAttributes: [IIOAttribute] = [], bufferAttributes: [IIOAttribute] = []
    ) {
        self.id = id
        self.name = name
        self.label = label
        self.channels = channels
        self.attributes = attributes
        self.debugAttributes = debugAttributes
        self.bufferAttributes = bufferAttributes
    }

    package var isTrigger: Bool { id.hasPrefix("trigger") }

    /// Returns the input channel with the given ID, or nil if it does not exist.
    package func channel(_ id: String) -> IIOChannel? { channels.first { $0.id == id && !$0.isOutput } }

    package func attribute(_ name: String) -> IIOAttribute? { attributes.first { $0.name == name } }
}

extension IIODevice {
    /// The position of the device on the machine, for example "base", "display" or "lid"; empty if it is unknown. The
    /// value is the driver's `location` attribute or, if there is none, the part of the label after "accel-".
    package var location: String {
        if let text = attribute("location")?.text, !text.isEmpty { return text }
        return label.hasPrefix("accel-") ? String(label.dropFirst("accel-".count)) : ""
    }

    /// The serial number of the chip, from the `serialnumber` attribute that a few drivers provide; empty if unknown or
    /// all zeros.
    package var serial: String {
        let text = attribute("serialnumber")?.text ?? ""
        return text.allSatisfy { $0 == "0" } ? "" : text
    }

    /// The name of the clock for the timestamps, for example "realtime" or "boottime"; empty if it is unknown.
    package var timestampClock: String { attribute("current_timestamp_clock")?.text ?? "" }

    /// The index of the timestamp channel in ``channels``; nil if the device has no timestamp channel.
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

/// A device channel: an axis, a quantity, or the timestamp.
package struct IIOChannel: Sendable, Hashable {
    /// The channel ID, which consists of the type and the modifier, for example "accel_x" or "timestamp".
    package var id: String
    package var name: String
    package var isOutput: Bool
    /// The position and format of the samples in a buffer; nil if the channel cannot be captured.
    package var scan: IIOScanElement?
    package var attributes: [IIOAttribute]

    package init(
        id: String, name: String = "", isOutput: Bool = false, scan: IIOScanElement? = nil,
        attributes: [IIOAttribute] = []
    ) {
        self.id = id
        self.name = name
        self.isOutput = isOutput
        self.scan = scan
        self.attributes = attributes
    }

    package func attribute(_ name: String) -> IIOAttribute? { attributes.first { $0.name == name } }
}

/// An attribute of a context, a device, a channel or a buffer.
package struct IIOAttribute: Sendable, Hashable {
    /// The name without the prefix of the device or channel, for example "scale".
    package var name: String
    /// The file name in sysfs, for example "in_accel_scale"; equal to the name if there is no file.
    package var filename: String
    /// The value when the attribute was read; nil if it is unknown.
    package var value: String?

    package init(name: String, filename: String? = nil, value: String? = nil) {
        self.name = name
        self.filename = filename ?? name
        self.value = value
    }

    /// The value without leading and trailing NUL bytes, line terminators and spaces; nil if it is unknown.
    package var text: String? { value.map { String(IIONumber.trimmed($0)) } }

    /// The value as a number; nil if it is unknown or not a finite number. The decimal separator is a point.
    package var number: Double? { value.flatMap { IIONumber.double($0) } }
}
