// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationXML
import IIOFormat
import Testing

@Suite("Context XML")
struct ContextXMLTests {
    /// Returns the context that a real iiod served when it was recorded.
    private static func recorded() throws -> IIOContext {
        let format = try #require(IIODataFormat("be:s16/16>>0"))
        var channels = ["x", "y", "z"].enumerated().map { index, axis in
            IIOChannel(
                id: "accel_\(axis)", scan: IIOScanElement(index: index, format: format, scale: 0.000598),
                attributes: [
                    IIOAttribute(name: "calibbias", filename: "in_accel_\(axis)_calibbias", value: "0"),
                    IIOAttribute(name: "mount_matrix", filename: "in_accel_mount_matrix", value: "1"),
                    IIOAttribute(name: "raw", filename: "in_accel_\(axis)_raw", value: "100"),
                    IIOAttribute(name: "scale", filename: "in_accel_scale", value: "0.000598\n"),
                ])
        }
        let stamp = try #require(IIODataFormat("le:s64/64>>0"))
        channels.append(IIOChannel(id: "timestamp", scan: IIOScanElement(index: 3, format: stamp)))
        let device = IIODevice(
            id: "iio:device0", name: "mpu6050", label: "accel-display", channels: channels,
            attributes: [
                IIOAttribute(name: "current_timestamp_clock"), IIOAttribute(name: "sampling_frequency"),
                IIOAttribute(name: "sampling_frequency_available"),
            ],
            bufferAttributes: [IIOAttribute(name: "data_available")])
        return IIOContext(
            name: "local", description: "Linux vm 6.18.44-fc-v595 #1 SMP PREEMPT_DYNAMIC @0 x86_64", version: "0.24",
            attributes: [
                IIOAttribute(name: "local,kernel", value: "6.18.44-fc-v595"),
                IIOAttribute(name: "uri", value: "local:"),
            ],
            devices: [device, IIODevice(id: "trigger0", name: "mpu6050-dev0")])
    }

    @Test("The XML is byte for byte that of Debian's iiod 0.24")
    func golden() throws {
        let answer = String(decoding: try Fixture.answer("PRINT"), as: UTF8.self)
        #expect(answer == "2737\n" + (try Self.recorded().xml(includingValues: false)) + "\n")
    }

    @Test("With `includingValues`, attribute values are included and declared")
    func values() throws {
        let text = try Self.recorded().xml(includingValues: true)
        #expect(text.contains(#"<attribute name="scale" filename="in_accel_scale" value="0.000598" />"#))
        #expect(text.contains(#"<attribute name="sampling_frequency" />"#))
        #expect(text.contains("<!ATTLIST attribute name CDATA #REQUIRED filename CDATA #IMPLIED value CDATA #IMPLIED>"))
    }

    // The order matches the output of libiio 0.24 for a context with all of these elements.
    @Test("Channel names, repeated formats, and buffer and debug attributes are in the order of libiio")
    func others() throws {
        let format = try #require(IIODataFormat("le:s16/32X2>>3"))
        let context = IIOContext(
            description: "d", version: "",
            devices: [
                IIODevice(
                    id: "iio:device0",
                    channels: [
                        IIOChannel(
                            id: "voltage0", name: "vbat", isOutput: true,
                            scan: IIOScanElement(index: 0, format: format, scale: 0.0000005))
                    ],
                    attributes: [IIOAttribute(name: "foo")], debugAttributes: [IIOAttribute(name: "dbg")],
                    bufferAttributes: [IIOAttribute(name: "wm")])
            ])
        let expected = [
            #"<context name="local" version-major="0" version-minor="24" version-git="v0.24" description="d" >"#,
            #"<device id="iio:device0" ><channel id="voltage0" name="vbat" type="output" >"#,
            #"<scan-element index="0" format="le:s16/32X2&gt;&gt;3" scale="0.000000" /></channel>"#,
            #"<attribute name="foo" /><buffer-attribute name="wm" /><debug-attribute name="dbg" /></device>"#,
            "</context>",
        ]
        #expect(context.xml(includingValues: false).hasSuffix(expected.joined()))
    }

    // The expected texts are the output of C's printf("%f").
    @Test(
        "Scales have six decimals, as with C's printf",
        arguments: [
            (0.0000005, "0.000000"), (0.0000015, "0.000002"), (0.0000025, "0.000003"),
            (0.00000050000000000001, "0.000001"),
            (1_234_567.0000005, "1234567.000000"), (0.9999996, "1.000000"), (-110.497238, "-110.497238"),
            (0.0078125, "0.007812"), (1.0 / 3, "0.333333"), (9.5367431640625e-07, "0.000001"), (100, "100.000000"),
        ])
    func scales(scale: Double, text: String) throws {
        let format = try #require(IIODataFormat("le:s16/16>>0"))
        let channel = IIOChannel(id: "a", scan: IIOScanElement(index: 0, format: format, scale: scale))
        let xml = IIOContext(devices: [IIODevice(id: "d", channels: [channel])]).xml(includingValues: false)
        #expect(xml.contains("scale=\"\(text)\""))
    }

    @Test("Extreme and non-finite scales can be written", arguments: [.infinity, -.infinity, .nan, 1e300, -1e19])
    func oddScales(scale: Double) throws {
        let format = try #require(IIODataFormat("le:s16/16>>0"))
        let channel = IIOChannel(id: "a", scan: IIOScanElement(index: .min, format: format, scale: scale))
        #expect(
            IIOContext(devices: [IIODevice(id: "d", channels: [channel])]).xml(includingValues: true).contains("scale=")
        )
    }

    @Test("All characters survive a round trip through a parser, except those that XML does not permit")
    func escapes() throws {
        let odd = "a&b<c>d\"e'f\tg\nh\u{1}i\u{7F}ü€😀]]>"
        let context = IIOContext(
            description: odd,
            devices: [IIODevice(id: "d", name: odd, attributes: [IIOAttribute(name: "n", value: odd + "\n\u{0}")])])
        let text = context.xml(includingValues: true)
        #expect(text.contains("a&amp;b&lt;c&gt;d&quot;e&apos;f&#9;g&#10;h\u{FFFD}i"))
        let reader = AttributeReader()
        #expect(Fixture.parse(text, reader))
        let expected = odd.replacingOccurrences(of: "\u{1}", with: "\u{FFFD}")
        #expect(reader.parsed["context"]?["description"] == expected)
        #expect(reader.parsed["device"]?["name"] == expected)
        #expect(reader.parsed["attribute"]?["value"] == expected)
    }
}

private final class AttributeReader: NSObject, XMLParserDelegate {
    var parsed: [String: [String: String]] = [:]

    func parser(
        _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        parsed[element] = attributes
    }
}
