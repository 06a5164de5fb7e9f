// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Testing
import TraceFormats

@Suite("XML of IIO contexts")
struct IIOContextXMLTests {
    /// Counts from Python's xml.etree: context attributes, devices, channels, scan elements, attributes of devices and
    /// channels, buffer attributes, debug attributes.
    static let counted: [(name: String, counts: [Int])] = [
        ("adxl355.recorded", [3, 3, 5, 4, 27, 2, 0]),
        ("bmi160", [1, 2, 8, 7, 22, 1, 0]),
        ("cros-ec-two-accels", [1, 2, 8, 8, 18, 0, 0]),
        ("hid-accel-3d", [1, 2, 4, 4, 16, 1, 0]),
        ("lsm6dso", [1, 2, 8, 8, 24, 2, 0]),
        ("mma8452", [1, 2, 4, 4, 20, 1, 0]),
        ("mpu6050", [1, 2, 8, 8, 30, 2, 0]),
        ("msa311", [1, 2, 4, 4, 13, 1, 0]),
        ("odd-padding-imu", [1, 1, 5, 5, 10, 1, 0]),
        ("raw-only-accel-magn-baro", [1, 3, 10, 0, 17, 0, 0]),
    ]

    @Test("Every shipped context has the parts that Python finds in it", arguments: counted)
    func parts(name: String, counts: [Int]) throws {
        let context = try IIOContext(xml: try Fixtures.bytes("\(name).xml"))
        let channels = context.devices.flatMap(\.channels)
        let ofChannels = channels.reduce(0) { $0 + $1.attributes.count }
        let ofDevices = context.devices.reduce(0) { $0 + $1.attributes.count }
        let ofBuffers = context.devices.reduce(0) { $0 + $1.bufferAttributes.count }
        let ofDebug = context.devices.reduce(0) { $0 + $1.debugAttributes.count }
        let scanChannelCount = channels.count { $0.scan != nil }
        let found: [Int] = [
            context.attributes.count, context.devices.count, channels.count, scanChannelCount, ofChannels + ofDevices,
            ofBuffers, ofDebug,
        ]
        #expect(found == counts)
    }

    @Test("Every shipped context is written and read back unchanged", arguments: counted)
    func written(name: String, counts: [Int]) throws {
        var context = try IIOContext(xml: try Fixtures.bytes("\(name).xml"))
        // A context without a version is written with one.
        if context.version.isEmpty { context.version = "0.24" }
        let reread = try IIOContext(xml: [UInt8](context.xml(includingValues: true).utf8))
        #expect(reread == context)
    }

    @Test("The XML from iiod 0.24 is written back byte for byte")
    func golden() throws {
        let xml = try Fixtures.goldenXML()
        let context = try IIOContext(xml: xml)
        #expect(context.devices.first?.label == "accel-display")
        #expect(context.version == "0.24")
        #expect(String(decoding: xml, as: UTF8.self) == context.xml(includingValues: false))
    }

    @Test("A recorded context contains the values of its attributes")
    func values() throws {
        let context = try IIOContext(xml: try Fixtures.bytes("adxl355.recorded.xml"))
        let device = try #require(context.devices.first { $0.name == "adxl355" })
        #expect(device.channel("accel_x")?.attribute("raw")?.value == "-4641")
        #expect(device.channel("accel_x")?.attribute("scale")?.value == "0.000038245")
        #expect(device.channel("accel_x")?.scan?.format == IIODataFormat("be:s20/32>>4"))
        // The generator could not read this attribute and wrote ERROR.
        #expect(device.channel("accel_x")?.attribute("sampling_frequency_available")?.value == nil)
        // The value in the file ends with a space, which was a line feed.
        #expect(device.attribute("current_timestamp_clock")?.value == "realtime")
        #expect(context.attributes.contains { $0.name == "local,kernel" && $0.value == "5.10.63-v7+" })
    }

    @Test("The dialects of libiio 0.21 and 1.0 are read")
    func dialects() throws {
        let old = """
            <?xml version='1.0'?><context name="local" description="d"><device id="iio:device0" name="x">\
            <channel id="accel_x" type="input"><attribute name="raw" filename="in_accel_x_raw"/></channel></device></context>
            """
        let first = try IIOContext(xml: [UInt8](old.utf8))
        #expect(first.version == "")
        #expect(first.devices[0].channels[0].attributes == [IIOAttribute(name: "raw", filename: "in_accel_x_raw")])
        let new = """
            <context name="emu" version-major="1" version-minor="0" version-git="v1.0"><device id="iio:device0">\
            <channel id="accel_x" type="input" label="L"><scan-element index="0" format="le:S16/16&gt;&gt;0"/></channel>\
            <buffer index="0" direction="in"><attribute name="watermark" value="1"/><channel id="accel_x" type="input"/>\
            </buffer><event-attribute name="e"/></device></context>
            """
        let second = try IIOContext(xml: [UInt8](new.utf8))
        #expect(second.version == "1.0")
        #expect(second.devices[0].channels.map(\.id) == ["accel_x"])
        #expect(second.devices[0].bufferAttributes == [IIOAttribute(name: "watermark", value: "1")])
    }

    @Test("Channels are in the order of their scan indexes, followed by the others in document order")
    func order() throws {
        func channel(_ id: String, _ index: Int?) -> String {
            let scan = index.map { "<scan-element index=\"\($0)\" format=\"le:s16/16>>0\"/>" } ?? ""
            return "<channel id=\"\(id)\" type=\"input\">\(scan)</channel>"
        }
        let xml =
            "<context><device id=\"iio:device0\">" + channel("temp", nil) + channel("accel_z", 7) + channel("b", nil)
            + channel("accel_x", 2) + channel("timestamp", 40) + "</device></context>"
        let context = try IIOContext(xml: [UInt8](xml.utf8))
        #expect(context.devices[0].channels.map(\.id) == ["accel_x", "accel_z", "timestamp", "temp", "b"])
    }
}
