// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// What BlueZ says of an object in one message: only what is of use here.
struct BlueZObject {
    static let adapterInterface = "org.bluez.Adapter1"
    static let deviceInterface = "org.bluez.Device1"

    /// An adapter.
    struct Adapter {
        /// Nil when the message does not say.
        var isPowered: Bool?
        var isDiscovering: Bool?
    }

    /// A device that was heard.
    struct Device {
        /// How strongly, in dBm; nil when the message does not say.
        var rssi: Int8?
        /// True when the message says that the strength is not known any more.
        var hasLostRSSI = false
        /// What its manufacturer's data hold; nil when the message has none of a beacon.
        var advertisement: BeaconAdvertisement?
        /// True when the message has manufacturer's data, be they of a beacon or not.
        var hasData = false
    }

    var adapter: Adapter?
    var device: Device?

    /// Reads `a{sa{sv}}`: interfaces, each with its properties.
    init(interfaces reader: inout DBusReader) throws(DBusFormatError) {
        var found = BlueZObject()
        try reader.dictionary { (reader) throws(DBusFormatError) in
            let name = try reader.string()
            try found.take(name, &reader)
        }
        self = found
    }

    /// Reads `sa{sv}as`, what PropertiesChanged says.
    init(changes reader: inout DBusReader) throws(DBusFormatError) {
        let name = try reader.string()
        try take(name, &reader)
        let last = try reader.array(alignment: 4)
        while reader.offset < last {
            if try reader.string() == "RSSI", device != nil { device?.hasLostRSSI = true }
        }
    }

    private init() {}

    /// Reads `a{sv}`, the properties of an interface.
    private mutating func take(_ interface: String, _ reader: inout DBusReader) throws(DBusFormatError) {
        switch interface {
        case Self.adapterInterface: adapter = try Self.adapter(&reader)
        case Self.deviceInterface: device = try Self.device(&reader)
        default:
            try reader.dictionary { (reader) throws(DBusFormatError) in
                _ = try reader.string()
                try reader.skipVariant()
            }
        }
    }

    private static func adapter(_ reader: inout DBusReader) throws(DBusFormatError) -> Adapter {
        var adapter = Adapter()
        try reader.dictionary { (reader) throws(DBusFormatError) in
            switch try reader.string() {
            case "Powered": adapter.isPowered = try bool(&reader)
            case "Discovering": adapter.isDiscovering = try bool(&reader)
            default: try reader.skipVariant()
            }
        }
        return adapter
    }

    private static func bool(_ reader: inout DBusReader) throws(DBusFormatError) -> Bool? {
        try reader.variant(of: "b") { (reader) throws(DBusFormatError) in try reader.bool() }
    }

    private static func device(_ reader: inout DBusReader) throws(DBusFormatError) -> Device {
        var device = Device()
        try reader.dictionary { (reader) throws(DBusFormatError) in
            switch try reader.string() {
            case "RSSI":
                let rssi = try reader.variant(of: "n") { (reader) throws(DBusFormatError) in try reader.int16() }
                // 127 is how radios say that they do not know.
                device.rssi = rssi.flatMap(Int8.init(exactly:)).flatMap { $0 == 127 ? nil : $0 }
            case "ManufacturerData":
                let data = try reader.variant(of: "a{qv}") { (reader) throws(DBusFormatError) in
                    try advertisement(&reader)
                }
                guard let data else { return }
                device.hasData = true
                device.advertisement = data
            default: try reader.skipVariant()
            }
        }
        return device
    }

    /// Reads `a{qv}`: the data of each company.
    private static func advertisement(
        _ reader: inout DBusReader
    ) throws(DBusFormatError) -> BeaconAdvertisement? {
        var found: BeaconAdvertisement?
        try reader.dictionary { (reader) throws(DBusFormatError) in
            let company = try reader.uint16()
            let data = try reader.variant(of: "ay") { (reader) throws(DBusFormatError) in try reader.byteArray() }
            if found == nil, let data { found = BeaconAdvertisement(company: company, data: data) }
        }
        return found
    }
}
