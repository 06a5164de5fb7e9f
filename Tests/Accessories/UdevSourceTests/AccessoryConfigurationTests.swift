// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import Testing

@testable import DeviceCore

@Suite("Configuration of accessories")
struct AccessoryConfigurationTests {
    private static func load(_ environment: [String: String] = [:], file: String? = nil) -> Configuration {
        Configuration.load(
            environment: environment,
            readFile: { $0 == "/etc/device-services.json" ? file.map { [UInt8]($0.utf8) } : nil })
    }

    @Test("By default no directory is watched, every protocol is allowed and the settle time is 150 ms")
    func defaults() {
        let configuration = Self.load()
        #expect(configuration.accessoryDirectories.value.isEmpty)
        #expect(configuration.appProtocols.value == nil)
        #expect(configuration.accessoryRules.value.isEmpty)
        #expect(configuration.declaredAccessories.value.isEmpty)
        #expect(configuration.accessorySettleTime.value == .seconds(0.15))
    }

    @Test("A file sets every value")
    func wholeFile() throws {
        let configuration = Self.load(
            file: """
                {"accessories": {
                  "folders": ["/run/accessories", "near"], "protocols": ["com.a", "com.b", "com.a"], "settle": 0.5,
                  "rules": [
                    {"vendor": "1209", "product": "0x1", "serial": "TP 1", "port": "1-2.4", "interface": 2,
                     "protocols": ["com.a"], "speed": 9600, "dtr": "leave", "flowControl": "hardware",
                     "reportLength": 64, "reportNumber": 3},
                    {"vendor": "0403", "protocols": []}, {}],
                  "declared": [{"name": "Scale", "protocols": {"com.example.scale": {"tty": "/dev/ttyS1"}}}]}}
                """)
        #expect(configuration.allProblems.isEmpty)
        #expect(configuration.accessoryDirectories.value == ["/run/accessories", "/etc/near"])
        #expect(configuration.accessoryDirectories.origin == .file("/etc/device-services.json"))
        #expect(configuration.appProtocols.value == ["com.a", "com.b"])
        #expect(configuration.accessorySettleTime.value == .seconds(0.5))
        let rules = configuration.accessoryRules.value
        #expect(rules.count == 3)
        var first = AccessoryRule()
        first.vendorID = 0x1209
        first.productID = 1
        first.serialNumber = "TP 1"
        first.portPath = "1-2.4"
        first.interface = 2
        first.protocols = ["com.a"]
        first.tty = TTYSettings(speed: 9600, dtr: .leave, usesHardwareFlowControl: true)
        first.hid = HIDFraming(reportLength: 64, reportNumber: 3)
        #expect(rules.first == first)
        #expect(rules.dropFirst().first?.protocols == [])
        #expect(rules.last == AccessoryRule())
        let declared = try #require(configuration.declaredAccessories.value.first)
        #expect(declared.name == "Scale" && declared.portPath == "Scale")
        #expect(declared.endpoints.first?.node == .tty(path: "/dev/ttyS1", TTYSettings()))
    }

    @Test("The environment overrides the file")
    func environment() {
        let file = #"{"accessories": {"folders": ["/a"], "protocols": ["com.file"]}}"#
        let configuration = Self.load(
            ["DEVICE_SERVICES_ACCESSORIES": "/x::/y:/x", "DEVICE_SERVICES_PROTOCOLS": "com.b, com.a,com.b"], file: file)
        #expect(configuration.accessoryDirectories.value == ["/x", "/y"])
        #expect(configuration.accessoryDirectories.origin == .environment("DEVICE_SERVICES_ACCESSORIES"))
        #expect(configuration.appProtocols.value == ["com.b", "com.a"])
        #expect(configuration.allProblems.isEmpty)
    }

    @Test("The udev source can be disabled")
    func withoutUdev() {
        #expect(Self.load().watchesUdev.value)
        let file = #"{"accessories": {"udev": false}}"#
        #expect(!Self.load(file: file).watchesUdev.value)
        #expect(Self.load(["DEVICE_SERVICES_UDEV": "on"], file: file).watchesUdev.value)
        #expect(!Self.load(["DEVICE_SERVICES_UDEV": "off"]).watchesUdev.value)
        let wrong = Self.load(["DEVICE_SERVICES_UDEV": "no"])
        #expect(wrong.watchesUdev.value)
        #expect(wrong.allProblems.map(\.message) == ["DEVICE_SERVICES_UDEV is neither on nor off. It is ignored."])
    }

    @Test("Invalid protocol names are reported, and if no valid name is left, the file's names apply")
    func badNames() {
        let file = #"{"accessories": {"protocols": ["com.file"]}}"#
        let some = Self.load(["DEVICE_SERVICES_PROTOCOLS": "nodot,com.a"], file: file)
        #expect(some.appProtocols.value == ["com.a"])
        #expect(some.allProblems.map(\.message).first?.hasPrefix("DEVICE_SERVICES_PROTOCOLS: ") == true)
        #expect(some.allProblems.map(\.message).first?.contains("nodot") == true)
        let none = Self.load(["DEVICE_SERVICES_PROTOCOLS": "nodot"], file: file)
        #expect(none.appProtocols.value == ["com.file"])
        #expect(none.allProblems.count == 1)
    }

    @Test(
        "An error is reported once with its file and key, and valid values are kept",
        arguments: [
            (#""folders": "x""#, "accessories.folders is not a list"),
            (#""folders": ["/good", 1]"#, "an element of accessories.folders is not a string"),
            (#""folders": ["/good", ""]"#, "an element of accessories.folders is not a valid path"),
            (#""protocols": [""]"#, "is not the name of a protocol"), (#""protocols": 3"#, "is not a list"),
            (#""settle": -1"#, "accessories.settle is not a number of seconds"),
            (#""settle": 11"#, "accessories.settle is not"), (#""settle": "1""#, "accessories.settle is not"),
            (#""rules": {}"#, "accessories.rules is not a list"), (#""rules": [7]"#, "accessories.rules[0] is not an"),
            (#""rules": [{"vendor": 4617}]"#, "rules[0].vendor is not a string"),
            (#""rules": [{"vendor": "12099"}]"#, "rules[0].vendor is not a number of up to four"),
            (#""rules": [{"product": "+12"}]"#, "rules[0].product is not a number of up to four"),
            (#""rules": [{"interface": 256}]"#, "rules[0].interface is not a whole number from 0 to 255"),
            (#""rules": [{"speed": 0}]"#, "rules[0].speed is not a whole number"),
            (#""rules": [{"speed": 9600.5}]"#, "rules[0].speed is not a whole number"),
            (#""rules": [{"dtr": "raise"}]"#, "rules[0].dtr is neither"),
            (#""rules": [{"flowControl": "xon"}]"#, "rules[0].flowControl is neither"),
            (#""rules": [{"reportLength": 16385}]"#, "rules[0].reportLength is not a whole number from 1 to 16384"),
            (#""rules": [{"reportNumber": 1}]"#, "rules[0].reportNumber requires a reportLength"),
            (#""rules": [{"protocols": ["a"]}]"#, "an element of accessories.rules[0].protocols is \"a\""),
            (#""rules": [{"colour": 1}]"#, "rules[0].colour is not a known setting"),
            (#""declared": 1"#, "accessories.declared is not a list"),
            (#""declared": [{"protocols": {"com.a": {"socket": "/s"}}}]"#, "accessories.declared[0] has no name"),
            (#""udev": "no""#, "accessories.udev is neither true nor false"),
            (#""colour": 1"#, "accessories.colour is not a known setting"),
        ])
    func mistakes(text: String, problem: String) {
        let file = #"{"accessories": {\#(text)}, "position": {"receiver": "x"}}"#
        let configuration = Self.load(file: file)
        #expect(configuration.receiver.value == "x")
        #expect(configuration.allProblems.count == 1)
        let message = configuration.allProblems.first?.message ?? ""
        #expect(message.hasPrefix("/etc/device-services.json: "))
        #expect(message.contains(problem), "\(message)")
        #expect(configuration.accessorySettleTime.value == .seconds(0.15))
        if text.contains("/good") { #expect(configuration.accessoryDirectories.value == ["/good"]) }
    }

    @Test("A rule with an error is ignored entirely, and the other rules keep their order")
    func rulesStay() {
        let configuration = Self.load(
            file: #"{"accessories": {"rules": [{"vendor": "1"}, {"vendor": "2", "speed": "x"}, {"vendor": "3"}]}}"#)
        #expect(configuration.accessoryRules.value.map(\.vendorID) == [1, 3])
    }

    @Test("Lists that are too long are truncated, and each truncation is reported once")
    func bounded() {
        let rules = Array(repeating: "{}", count: 1200).joined(separator: ",")
        let names = (0..<1200).map { "\"com.a\($0)\"" }.joined(separator: ",")
        let configuration = Self.load(
            file: #"{"accessories": {"rules": [\#(rules)], "protocols": [\#(names)]}}"#)
        #expect(configuration.accessoryRules.value.count == 1000)
        #expect(configuration.appProtocols.value?.count == 1000)
        #expect(configuration.allProblems.count == 2)
        // An invalid element takes a position but no place in the list.
        let invalid = Self.load(file: #"{"accessories": {"rules": ["", \#(rules)]}}"#)
        #expect(invalid.accessoryRules.value.count == 1000)
        #expect(invalid.allProblems.count == 2)
        let folders = (0..<200).map { "/f\($0)" }.joined(separator: ":")
        let environment = Self.load(["DEVICE_SERVICES_ACCESSORIES": folders])
        #expect(environment.accessoryDirectories.value.count == 100)
        #expect(environment.allProblems.count == 1)
    }
}
