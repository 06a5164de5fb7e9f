// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension IntegrationTests {
    @Suite(
        "The rules file for udev", .serialized, .enabled(if: Tools.canTryRules, Tools.cannotTryRules),
        .timeLimit(.minutes(10)))
    struct UdevRulesTests {
        private static let rules = Tools.udevTraces.deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources/UdevSource/udev/65-external-accessory.rules")
            .path

        /// What udev makes of a described device: for each path, what it says about it.
        private func properties(_ name: String) async throws -> [String: [String]] {
            try await properties(at: AccessoryBoard.path(name))
        }

        private func properties(at path: String) async throws -> [String: [String]] {
            let child = try ChildProcess(
                Tools.unshare ?? "",
                ["-m", "-n", Tools.udevFile("rules.sh"), "mock", Self.rules, path])
            #expect(await child.wait() == .exited(0))
            var result: [String: [String]] = [:]
            var device = ""
            for line in child.lines.elements {
                if line.hasPrefix("device ") {
                    device = line.split(separator: "/").last.map(String.init) ?? ""
                } else {
                    result[device, default: []].append(line)
                }
            }
            // What udev finds wrong with a line it tells with the file's name.
            let complaints = child.lines.elements.filter { line in
                line.contains("65-external-accessory.rules:") && !line.contains(" GROUP ") && !line.contains(" MODE ")
            }
            #expect(complaints == [])
            return result
        }

        private func isOurs(_ lines: [String]?) -> Bool {
            let lines = lines ?? []
            return lines.contains("TAGS=:external-accessory:") && lines.contains { $0.contains("MODE 0660") }
                && lines.contains { $0.contains("GROUP ") }
        }

        @Test("A serial port whose interface tells a protocol is kept from ModemManager and given to its group")
        func interfaceString() async throws {
            let found = try await properties("acm-interface-string")
            #expect(isOurs(found["ttyACM1"]))
            #expect(found["ttyACM1"]?.contains("ID_MM_PORT_IGNORE=1") == true)
            #expect(!isOurs(found["1-2"]))
        }

        @Test("A device with streams for accessories is kept from ModemManager and mtp-probe")
        func native() async throws {
            let found = try await properties("ea-native-two-protocols")
            #expect(isOurs(found["1-3"]))
            #expect(found["1-3"]?.contains("ID_MM_DEVICE_IGNORE=1") == true)
            #expect(found["1-3"]?.contains("MTP_NO_PROBE=1") == true)
        }

        @Test("A serial port takes over the protocol that the hardware database gives its interface")
        func hardwareDatabase() async throws {
            let name = "EXTERNAL_ACCESSORY_PROTOCOLS=com.example.thermoprobe"
            var text = try String(contentsOfFile: AccessoryBoard.path("acm-plain"), encoding: .utf8)
            try #require(text.contains("E: \(name)\n"))
            text = text.replacing("E: \(name)\n", with: "")
            text = text.replacing("E: DEVTYPE=usb_interface\n", with: "E: DEVTYPE=usb_interface\nE: \(name)\n")
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).umockdev")
            try text.write(to: file, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(at: file) }
            let found = try await properties(at: file.path)
            let port = try #require(found.first { $0.key.hasPrefix("ttyACM") }?.value)
            #expect(port.contains(name))
            #expect(isOurs(port))
            #expect(port.contains("ID_MM_PORT_IGNORE=1"))
        }

        @Test("A cable that tells no protocol is left alone, and so is a telephone")
        func others() async throws {
            for name in ["usbserial-noserial-a", "umockdev-sony-xperia-mini-pro"] {
                let lines = try await properties(name).values.joined()
                #expect(!lines.isEmpty)
                #expect(!lines.contains { $0.contains("external-accessory:") && $0.hasPrefix("TAGS=") })
                #expect(!lines.contains { $0.hasPrefix("ID_MM_") })
            }
        }

        @Test("udevd itself gives a serial port with the property its group, mode and tag, and the source finds it")
        func underUdevd() async throws {
            let more =
                #"KERNEL=="tty50", ENV{EXTERNAL_ACCESSORY_PROTOCOLS}="com.example.panel", "#
                + #"ENV{EXTERNAL_ACCESSORY_NAME}="Panel""#
            let child = try ChildProcess(
                Tools.unshare ?? "",
                [
                    "-m", "-n", Tools.udevFile("rules.sh"), "udevd", Self.rules, "tty50", more,
                    try Tools.program("TestProgramAccessories"),
                ])
            #expect(await child.wait() == .exited(0))
            let lines = child.lines.elements
            for line in [
                "EXTERNAL_ACCESSORY_PROTOCOLS=com.example.panel", "ID_MM_PORT_IGNORE=1", "TAGS=:external-accessory:",
                "node root:dialout 660",
            ] {
                #expect(lines.contains(line), "\(lines)")
            }
            let snapshot = lines.last { $0.contains(#""event":"snapshot""#) } ?? ""
            if Tools.hasLibUdev {
                #expect(snapshot.contains(#""identity":"port:/devices/virtual/tty/tty50","name":"Panel""#))
                #expect(snapshot.contains(#""com.example.panel":"udevProperty /dev/tty50""#))
            }
        }
    }
}
