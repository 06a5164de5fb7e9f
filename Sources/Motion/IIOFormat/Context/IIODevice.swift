// SPDX-License-Identifier: Apache-2.0

/// A device, or a trigger, of a context.
public struct IIODevice: Sendable, Hashable {
    /// "iio:device0", or "trigger0" for a trigger.
    public var id: String
    /// The name that the driver gives, for example "mpu6050"; not unique. Empty when there is none.
    public var name: String
    /// The label that the firmware gives, for example "accel-display"; empty when there is none.
    public var label: String
    /// Its channels, in the order of their scan indexes, those without one last.
    public var channels: [IIOChannel]
    /// Attributes of the device as a whole.
    public var attributes: [IIOAttribute]
    /// Attributes in debugfs.
    public var debugAttributes: [IIOAttribute]
    /// Attributes of its buffer.
    public var bufferAttributes: [IIOAttribute]

    /// A device of those parts.
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

    /// True for a trigger.
    public var isTrigger: Bool { id.hasPrefix("trigger") }

    /// The input channel of that id.
    public func channel(_ id: String) -> IIOChannel? { channels.first { $0.id == id && !$0.isOutput } }

    /// The attribute of the device of that name.
    public func attribute(_ name: String) -> IIOAttribute? { attributes.first { $0.name == name } }
}

extension IIODevice {
    /// Where on the machine the device sits: "base", "display", "lid"; empty when nobody says.
    ///
    /// It is the driver's `location` attribute as it stands, else what follows "accel-" in the label.
    public var location: String {
        if let text = attribute("location")?.text, !text.isEmpty { return text }
        return label.hasPrefix("accel-") ? String(label.dropFirst("accel-".count)) : ""
    }

    /// The chip's serial number, as a few drivers tell it (`serialnumber`, documented for all of IIO since Linux 6.1); empty
    /// when the driver tells none or the chip has none but zeros.
    public var serial: String {
        let text = attribute("serialnumber")?.text ?? ""
        return text.allSatisfy { $0 == "0" } ? "" : text
    }

    /// The name of the clock that stamps the samples, such as "realtime" or "boottime"; empty when nobody says.
    public var timestampClock: String { attribute("current_timestamp_clock")?.text ?? "" }

    /// The place in ``channels`` of the time stamp of a scan; nil when the device has none.
    public var timestampChannel: Int? {
        channels.firstIndex { $0.id == "timestamp" && !$0.isOutput && ($0.scan?.index ?? -1) >= 0 }
    }

    /// How scans lie in a buffer when those channels, places in ``channels``, are enabled.
    ///
    /// Nil when one of them does not exist or cannot be captured.
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
