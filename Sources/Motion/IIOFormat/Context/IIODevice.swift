// SPDX-License-Identifier: Apache-2.0

/// A device or a trigger of a context.
public struct IIODevice: Sendable, Hashable {
    /// The ID of the device, for example "iio:device0", or "trigger0" for a trigger.
    public var id: String
    /// The name from the driver, for example "mpu6050"; empty if there is none. It is not unique.
    public var name: String
    /// The label from the firmware, for example "accel-display"; empty if there is none.
    public var label: String
    /// The channels, ordered by scan index, followed by channels without a scan index.
    public var channels: [IIOChannel]
    /// The attributes of the device.
    public var attributes: [IIOAttribute]
    /// The attributes in debugfs.
    public var debugAttributes: [IIOAttribute]
    /// The attributes of the buffer.
    public var bufferAttributes: [IIOAttribute]

    /// Creates a device.
    public init(
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

    /// True if the device is a trigger.
    public var isTrigger: Bool { id.hasPrefix("trigger") }

    /// Returns the input channel with the given ID; nil if there is none.
    public func channel(_ id: String) -> IIOChannel? { channels.first { $0.id == id && !$0.isOutput } }

    /// Returns the attribute of the device with the given name; nil if there is none.
    public func attribute(_ name: String) -> IIOAttribute? { attributes.first { $0.name == name } }
}

extension IIODevice {
    /// The position of the device on the machine, for example "base", "display" or "lid"; empty if it is unknown.
    ///
    /// The value is the driver's `location` attribute or, if there is none, the part of the label after "accel-".
    public var location: String {
        if let text = attribute("location")?.text, !text.isEmpty { return text }
        return label.hasPrefix("accel-") ? String(label.dropFirst("accel-".count)) : ""
    }

    /// The serial number of the chip, from the attribute `serialnumber` of a few drivers (documented for all of IIO
    /// since Linux 6.1); empty if there is none or it consists of zeros.
    public var serial: String {
        let text = attribute("serialnumber")?.text ?? ""
        return text.allSatisfy { $0 == "0" } ? "" : text
    }

    /// The name of the clock for the timestamps, for example "realtime" or "boottime"; empty if it is unknown.
    public var timestampClock: String { attribute("current_timestamp_clock")?.text ?? "" }

    /// The index in ``channels`` of the timestamp of a scan; nil if the device has none.
    public var timestampChannel: Int? {
        channels.firstIndex { $0.id == "timestamp" && !$0.isOutput && ($0.scan?.index ?? -1) >= 0 }
    }

    /// Returns the layout of scans in a buffer with the given channels enabled. The channels are indices in
    /// ``channels``. nil if a channel does not exist or cannot be captured.
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
