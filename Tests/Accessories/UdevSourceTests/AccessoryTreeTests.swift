// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import AccessoryFinding

@Suite("Mapping of devices to accessories")
struct AccessoryTreeTests {
    private static let property = "EXTERNAL_ACCESSORY_PROTOCOLS"

    private static func names(_ detection: AccessoryDetection) -> [String] {
        detection.description?.protocols.map(\.name) ?? []
    }

    @Test("A rule overrides the udev property, and the property overrides the interface string")
    func precedence() {
        var rule = AccessoryRule()
        rule.vendorID = 0x1209
        rule.protocols = ["com.rule"]
        let records = Records.plain("com.string", properties: [Self.property: "com.property"])
        let all = Records.detection(records, rules: [rule])
        #expect(all.description?.protocols.map(\.origin) == [.configuration])
        #expect(Self.names(all) == ["com.rule"])
        #expect(Self.names(Records.detection(records)) == ["com.property"])
        #expect(Self.names(Records.detection(Records.plain("com.string"))) == ["com.string"])
    }

    @Test("A rule without protocols hides the accessory, which is not a candidate either")
    func hidden() {
        var rule = AccessoryRule()
        rule.protocols = []
        let detection = Records.detection(Records.plain("com.string"), rules: [rule])
        #expect(detection.description == nil && detection.candidates.isEmpty)
    }

    @Test("Each setting is taken from the first matching rule that contains it")
    func firstRule() {
        var port = AccessoryRule()
        port.portPath = "1-2"
        port.tty = TTYSettings(speed: 9600)
        var other = AccessoryRule()
        other.serialNumber = "S2"
        other.protocols = ["com.other"]
        var third = AccessoryRule()
        third.interface = 0
        third.protocols = ["com.third"]
        third.tty = TTYSettings(speed: 300)
        let detection = Records.detection(Records.plain(), rules: [port, other, third])
        #expect(
            (detection.description?.protocols.first?.node as? ChannelNode)
                == .tty(path: "/dev/ttyACM0", TTYSettings(speed: 9600)))
        #expect(Self.names(detection) == ["com.third"])
    }

    @Test("The property can be set on the tty, on the interface and on a device with one serial port")
    func origins() {
        let interface = Records.interface(0, properties: [Self.property: "com.interface"])
        #expect(
            Self.names(Records.detection([Records.device(), interface, Records.tty(interface, "t")])) == [
                "com.interface"
            ])
        let device = Records.device(properties: [Self.property: "com.device"])
        let first = Records.interface(0)
        let second = Records.interface(2)
        #expect(Self.names(Records.detection([device, first, Records.tty(first, "t0")])) == ["com.device"])
        let two = Records.detection([device, first, Records.tty(first, "t0"), second, Records.tty(second, "t1")])
        #expect(two.description == nil && two.candidates.count == 2)
    }

    @Test("Names in the property are separated by commas or spaces, and an invalid name is reported and skipped")
    func list() {
        let detection = Records.detection(Records.plain(properties: [Self.property: "com.b, com.a com.b,nodot,,"]))
        #expect(Self.names(detection) == ["com.b", "com.a"])
        #expect(detection.warnings.count == 1 && detection.warnings.first?.contains("nodot") == true)
        let bad = Records.detection(Records.plain("com.string", properties: [Self.property: "nodot"]))
        #expect(Self.names(bad) == ["com.string"])
    }

    @Test(
        "Interface strings that are not reverse-DNS names yield no accessory",
        arguments: ["USB2.0-Serial", "v1.0", "CDC-ACM", "com. example", "com..a", "Rev.A", "", "a.b", ".com.a"])
    func strings(string: String) {
        let detection = Records.detection(Records.plain(string))
        #expect(detection.description == nil)
        #expect(detection.candidates.map(\.node) == ["/dev/ttyACM0"])
    }

    @Test("If two interfaces have the same protocol name, the lower-numbered one is used with a remark")
    func sameName() {
        let first = Records.interface(2, string: "com.a")
        let second = Records.interface(10, string: "com.a")
        let detection = Records.detection([
            Records.device(), second, Records.tty(second, "t10"), first, Records.tty(first, "t2"),
        ])
        #expect(detection.description?.protocols.map(\.interface) == [2])
        #expect(detection.warnings.count == 1 && detection.warnings.first?.contains("com.a") == true)
    }

    @Test("Serial ports that are not on USB require the property or a rule with their port path")
    func onBoard() {
        let path = "/sys/devices/platform/soc/tty/ttyAMA1"
        let tty = UdevRecord(path: path, subsystem: "tty", node: "/dev/ttyAMA1")
        #expect(Records.detection([tty]).description == nil)
        #expect(Records.detection([tty]).candidates.count == 1)
        var everything = AccessoryRule()
        everything.protocols = ["com.every"]
        #expect(Records.detection([tty], rules: [everything]).description == nil)
        var port = AccessoryRule()
        port.portPath = "/devices/platform/soc/tty/ttyAMA1"
        port.protocols = ["com.panel"]
        let byRule = Records.detection([tty], rules: [port]).description
        #expect(byRule?.identity == "port:/devices/platform/soc/tty/ttyAMA1" && byRule?.name == "ttyAMA1")
        #expect(byRule?.vendorID == nil && byRule?.protocols.first?.interface == nil)
        var named = tty
        named.properties = [Self.property: "com.panel", "EXTERNAL_ACCESSORY_NAME": "Panel"]
        #expect(Records.detection([named]).description?.name == "Panel")
    }

    @Test("Virtual terminals and placeholders of serial ports are not candidates")
    func placeholders() {
        for path in ["/sys/devices/virtual/tty/tty12", "/sys/devices/platform/serial8250/tty/ttyS3"] {
            #expect(Records.detection([UdevRecord(path: path, subsystem: "tty", node: "/dev/x")]).candidates.isEmpty)
        }
        let radio = UdevRecord(path: "/sys/devices/virtual/tty/rfcomm0", subsystem: "tty", node: "/dev/rfcomm0")
        #expect(Records.detection([radio]).candidates.count == 1)
    }

    @Test("A device behind a Bluetooth adapter does not belong to the adapter")
    func bluetooth() {
        let interface = Records.interface(0, classes: "e0 01 01")
        let radio = UdevRecord(
            path: interface.path + "/bluetooth/hci0/hci0:256/tty/rfcomm0", subsystem: "tty", node: "/dev/rfcomm0",
            properties: [Self.property: "com.radio"])
        let detection = Records.detection([Records.device(), interface, radio], of: radio.path)
        #expect(detection.description?.vendorID == nil)
        #expect(Self.names(detection) == ["com.radio"])
        #expect(Records.detection([Records.device(), interface, radio], of: Records.root).description == nil)
    }

    @Test("Keyboards and mice are not candidates")
    func keyboards() {
        let keyboard = Records.interface(0, classes: "03 01 01")
        let hid = UdevRecord(
            path: keyboard.path + "/0003:1.1/hidraw/hidraw0", subsystem: "hidraw", node: "/dev/hidraw0")
        #expect(Records.detection([Records.device(), keyboard, hid]).candidates.isEmpty)
    }

    @Test("A vendor interface without usable bulk endpoints is listed as a candidate with the reason")
    func noEndpoints() {
        let interface = Records.interface(0, string: "com.bridge", classes: "ff f0 01")
        for descriptors in ["", "00", "0102", "zz", String(repeating: "ff", count: 40)] {
            let detection = Records.detection([Records.device(attributes: ["descriptors": descriptors]), interface])
            #expect(detection.description == nil)
            #expect(detection.candidates.first?.reason.contains("bulk endpoints") == true)
        }
    }

    @Test("Interface classes that are missing in sysfs are taken from the kernel's event")
    func kernelClasses() throws {
        var records = try UmockdevFile.records("ea-native-two-protocols")
        for index in records.indices {
            for name in ["bInterfaceClass", "bInterfaceSubClass", "bInterfaceProtocol"] {
                records[index].attributes[name] = nil
            }
        }
        #expect(Records.detection(records).description?.protocols.count == 2)
    }

    @Test("If attributes are missing, udev's properties are used, and their escapes are decoded")
    func properties() {
        let interface = Records.interface(0, string: "com.a")
        let device = UdevRecord(
            path: Records.root, subsystem: "usb", type: "usb_device",
            properties: [
                "ID_VENDOR_ID": "0403", "ID_MODEL_ID": "6001", "ID_MODEL_ENC": #"Gr\xc3\xb6\x20\xe7 \x2"#,
                "ID_VENDOR": "FTDI", "ID_SERIAL_SHORT": "A1", "ID_REVISION": "0600",
            ])
        let description = Records.detection([device, interface, Records.tty(interface, "t")]).description
        #expect(description?.identity == "0403:6001:A1" && description?.firmwareRevision == "6.00")
        #expect(description?.name == "Grö \u{fffd} \\x2" && description?.manufacturer == "FTDI")
    }

    @Test(
        "The device revision is formatted as a version number",
        arguments: [("0210", "2.10"), ("0005", "0.05"), ("1234", "12.34"), ("0a1f", "a.1f"), ("21", "21"), ("", "")])
    func revisions(text: String, expected: String) {
        let interface = Records.interface(0, string: "com.a")
        let records = [Records.device(attributes: ["bcdDevice": text]), interface, Records.tty(interface, "t")]
        #expect(Records.detection(records).description?.firmwareRevision == expected)
    }

    @Test("Strings of a device are limited in length and sanitized")
    func hostile() {
        let nasty = "\u{1b}]0;x\u{7}\u{202e}" + String(repeating: "A", count: 10_000)
        let interface = Records.interface(0, string: "com.a")
        let device = Records.device(attributes: ["product": nasty, "manufacturer": nasty, "serial": nasty])
        let description = Records.detection([device, interface, Records.tty(interface, "t")]).description
        for text in [description?.name, description?.manufacturer, description?.serialNumber, description?.identity] {
            #expect((text?.utf8.count ?? 0) > 100 && (text?.utf8.count ?? .max) < 600)
            #expect(text?.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202e } == false)
        }
        let huge = Records.plain(properties: [Self.property: String(repeating: "com.a,nodot,", count: 20_000)])
        let detection = Records.detection(huge)
        #expect(detection.warnings.count <= 100)
        #expect(Self.names(detection) == ["com.a"])
    }

    @Test(
        "Paths that only resemble an interface path do not count as USB",
        arguments: ["1-2:1", "1-2:1.0.1", "1-:1.0", "-2:1.0", "1-2.:1.0", "usb1:1.0", "1-2:256.0", "1-2:1.x", ":"])
    func paths(name: String) {
        let record = UdevRecord(path: "/sys/devices/\(name)/tty/t", subsystem: "tty", node: "/dev/t")
        #expect(USBTopologyPosition(record)?.isUSB == false)
    }
}
