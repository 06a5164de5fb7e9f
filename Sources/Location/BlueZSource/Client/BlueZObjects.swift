// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The properties that a message contains for a BlueZ object. Unsupported properties are omitted.
struct BlueZObject {
    static let adapterInterface = "org.bluez.Adapter1"
    static let deviceInterface = "org.bluez.Device1"

    /// The properties of an adapter. A property is nil if the message does not contain it.
    struct Adapter {
        var isPowered: Bool?
        var isDiscovering: Bool?
    }

    struct Device {
        /// The signal strength in dBm, or nil if the message does not contain it.
        var rssi: Int8?
        /// True if the message invalidates the signal strength.
        var hasLostRSSI = false
        var advertisement: BeaconAdvertisement?
        /// True if the message contains manufacturer data, from a beacon or any other device.
        var hasData = false
    }

    var adapter: Adapter?
    var device: Device?

    /// Reads interfaces with their properties: `a{sa{sv}}`.
    init(interfaces reader: inout DBusReader) throws(DBusFormatError) {
        var found = BlueZObject()
        try reader.dictionary { (reader) throws(DBusFormatError) in
            let name = try reader.string()
            try found.readProperties(of: name, &reader)
        }
        self = found
    }

    /// Reads the arguments of PropertiesChanged: `sa{sv}as`.
    init(changes reader: inout DBusReader) throws(DBusFormatError) {
        let name = try reader.string()
        try readProperties(of: name, &reader)
        let last = try reader.array(alignment: 4)
        while reader.offset < last { if try reader.string() == "RSSI", device != nil { device?.hasLostRSSI = true } }
    }

    private init() {}

    /// Reads the properties of an interface: `a{sv}`.
    private mutating func readProperties(of interface: String, _ reader: inout DBusReader) throws(DBusFormatError) {
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
                // A value of 127 means that the controller does not know the signal strength.
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

    /// Reads a dictionary from company identifiers to manufacturer data, `a{qv}`. Returns the first beacon
    /// advertisement in it.
    private static func advertisement(_ reader: inout DBusReader) throws(DBusFormatError) -> BeaconAdvertisement? {
        var found: BeaconAdvertisement?
        try reader.dictionary { (reader) throws(DBusFormatError) in
            let company = try reader.uint16()
            let data = try reader.variant(of: "ay") { (reader) throws(DBusFormatError) in try reader.byteArray() }
            if found == nil, let data { found = BeaconAdvertisement(company: company, data: data) }
        }
        return found
    }
}
