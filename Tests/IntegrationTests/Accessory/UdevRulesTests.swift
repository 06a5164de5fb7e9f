// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

extension IntegrationTests {
    // Serialized, because the kernel's uevents reach all namespaces.
    @Suite(
        "The udev rules file", .serialized, .enabled(if: Tools.canTryRules, Tools.cannotTryRules))
    struct UdevRulesTests {
        private static let folder = Checkout.root.appendingPathComponent("Sources/Accessories/UdevSource/udev")
        private static let rules = folder.appendingPathComponent("65-external-accessory.rules").path

        /// Returns the properties that udev assigns to the devices of a description.
        private func properties(_ name: String) async throws -> [String: [String]] {
            try await properties(at: AccessoryBoard.path(name))
        }

        private func properties(
            at path: String, rules: String = Self.rules, hardwareDatabase: String? = nil, modaliases: [String] = []
        ) async throws -> [String: [String]] {
            let mode = hardwareDatabase == nil ? "mock" : "hwdb"
            let child = try ChildProcess(
                Tools.unshare ?? "",
                ["-m", "-n", Tools.udevFile("rules.sh"), mode, rules, path]
                    + (hardwareDatabase.map { [$0] } ?? []) + modaliases)
            #expect(await child.wait() == .exited(0))
            let lines = await child.output()
            var result: [String: [String]] = [:]
            var device = ""
            for line in lines {
                if line.hasPrefix("device ") {
                    device = line.split(separator: "/").last.map(String.init) ?? ""
                } else if line.hasPrefix("modalias ") {
                    device = String(line.dropFirst("modalias ".count))
                } else {
                    result[device, default: []].append(line)
                }
            }
            // udev prints problems with a line together with the name of the file.
            let complaints = lines.filter { line in
                (line.contains("external-accessory") && line.contains(".rules:") && !line.contains(" GROUP ")
                    && !line.contains(" MODE "))
                    || line.contains("external-accessory.hwdb:")
            }
            #expect(complaints == [])
            return result
        }

        private func isOurs(_ lines: [String]?) -> Bool {
            let lines = lines ?? []
            return lines.contains("TAGS=:external-accessory:") && lines.contains { $0.contains("MODE 0660") }
                && lines.contains { $0.contains("GROUP ") }
        }

        @Test("A serial port whose interface names a protocol is ignored by ModemManager and gets its group")
        func interfaceString() async throws {
            let found = try await properties("acm-interface-string")
            #expect(isOurs(found["ttyACM1"]))
            #expect(found["ttyACM1"]?.contains("ID_MM_PORT_IGNORE=1") == true)
            #expect(!isOurs(found["1-2"]))
        }

        @Test("A device with accessory streams is ignored by ModemManager and mtp-probe")
        func native() async throws {
            let found = try await properties("ea-native-two-protocols")
            #expect(isOurs(found["1-3"]))
            #expect(found["1-3"]?.contains("ID_MM_DEVICE_IGNORE=1") == true)
            #expect(found["1-3"]?.contains("MTP_NO_PROBE=1") == true)
            // Other programs read these properties from udev's database.
            for line in ["ID_MM_DEVICE_IGNORE=1", "MTP_NO_PROBE=1", "CURRENT_TAGS=:external-accessory:"] {
                #expect(found["1-3"]?.contains("record \(line)") == true)
            }
        }

        /// Creates a temporary folder with the given files.
        private func folder(_ files: [String: String] = [:]) throws -> URL {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for (name, text) in files {
                try text.write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
            }
            return folder
        }

        private static func text(_ name: String) throws -> String {
            try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
        }

        @Test("A serial port inherits the protocol of its interface")
        func interfaceProperty() async throws {
            let name = "EXTERNAL_ACCESSORY_PROTOCOLS=com.example.thermoprobe"
            var text = try String(contentsOfFile: AccessoryBoard.path("acm-plain"), encoding: .utf8)
            try #require(text.contains("E: \(name)\n"))
            text = text.replacing("E: \(name)\n", with: "")
            text = text.replacing("E: DEVTYPE=usb_interface\n", with: "E: DEVTYPE=usb_interface\nE: \(name)\n")
            let folder = try folder(["device.umockdev": text])
            defer { try? FileManager.default.removeItem(at: folder) }
            let found = try await properties(at: folder.path + "/device.umockdev")
            let port = try #require(found.first { $0.key.hasPrefix("ttyACM") }?.value)
            #expect(port.contains(name))
            #expect(isOurs(port))
            #expect(port.contains("ID_MM_PORT_IGNORE=1"))
        }

        @Test(
            "The hardware database compiles, its examples match, and their protocol reaches the serial port")
        func hardwareDatabase() async throws {
            // The kernel's modalias for the first interface of a device with these IDs.
            let first = "usb:v1209p0001d0100dc02dsc00dp00ic02isc02ip01in00"
            let second = "usb:v1209p0004d0305dcEFdsc02dp01ic02isc02ip01in02"
            let other = "usb:v1209p0001d0100dc02dsc00dp00ic0Aisc00ip00in01"
            let name = "EXTERNAL_ACCESSORY_PROTOCOLS=com.example.thermoprobe"
            var device = try String(contentsOfFile: AccessoryBoard.path("acm-plain"), encoding: .utf8)
            device = device.replacing("E: \(name)\n", with: "")
            try #require(device.contains("E: INTERFACE=2/2/1\n"))
            device = device.replacing("E: INTERFACE=2/2/1\n", with: "E: INTERFACE=2/2/1\nE: MODALIAS=\(first)\n")
            // Enables the examples as the file describes.
            let lines = try Self.text("65-external-accessory.hwdb").split(
                separator: "\n", omittingEmptySubsequences: false)
            let table = lines.map {
                $0.hasPrefix("# usb:v1209") || $0.hasPrefix("#  EXTERNAL") ? String($0.dropFirst(2)) : String($0)
            }
            try #require(table.count { $0.hasPrefix(" EXTERNAL") } == 2)
            // Only "# " is removed, so that a property keeps its leading space. Without the space it would not be a
            // property.
            let folder = try folder([
                "device.umockdev": device, "table.hwdb": table.joined(separator: "\n"),
            ])
            defer { try? FileManager.default.removeItem(at: folder) }
            let found = try await properties(
                at: folder.path + "/device.umockdev", hardwareDatabase: folder.path + "/table.hwdb",
                modaliases: [first, second, other])
            #expect(found[first] == [name])
            #expect(found[second] == ["EXTERNAL_ACCESSORY_PROTOCOLS=com.example.lab.console,com.example.lab.update"])
            #expect(found[other] == nil)
            #expect(found["1-1:1.0"]?.contains("record \(name)") == true)
            #expect(found["1-1"]?.contains { $0.contains("EXTERNAL_ACCESSORY") } == false)
            let port = try #require(found["ttyACM0"])
            for line in [name, "TAGS=:external-accessory:", "ID_MM_PORT_IGNORE=1"] {
                #expect(port.contains("record \(line)"), "\(port)")
            }
            #expect(isOurs(port))
        }

        @Test("brltty starts for a converter of an accessory unless its request is removed")
        func brailleDisplays() async throws {
            let rules = [
                "62-own.rules": #"""
                SUBSYSTEM=="usb", ENV{DEVTYPE}=="usb_device", ATTR{idVendor}=="1209", ENV{EXTERNAL_ACCESSORY}="1"
                SUBSYSTEM=="tty", ATTRS{idVendor}=="1209", ENV{EXTERNAL_ACCESSORY_PROTOCOLS}="com.example.bench"

                """#,
                "65-external-accessory.rules": try Self.text("65-external-accessory.rules").replacing(
                    #"# TAG+="systemd""#, with: #"TAG+="systemd""#),
                // The effect of brltty's own rules on a system with systemd.
                "85-brltty.rules": #"""
                SUBSYSTEM=="usb", ENV{PRODUCT}=="1209/5/*", ENV{BRLTTY_BRAILLE_DRIVER}="bm", TAG+="systemd", \
                    ENV{SYSTEMD_WANTS}+="brltty-device@.service"

                """#,
            ]
            let request = "brltty-device@.service"
            let without = try folder(rules)
            defer { try? FileManager.default.removeItem(at: without) }
            let path = AccessoryBoard.path("usbserial-noserial-a")
            let taken = try await properties(at: path, rules: without.path)["1-5.1"] ?? []
            #expect(taken.contains { $0.hasPrefix("record SYSTEMD_WANTS=") && $0.contains(request) })
            let with = try folder(
                rules.merging(
                    ["86-external-accessory-brltty.rules": try Self.text("86-external-accessory-brltty.rules")]
                ) { $1 })
            defer { try? FileManager.default.removeItem(at: with) }
            let found = try await properties(at: path, rules: with.path)
            let device = try #require(found["1-5.1"])
            #expect(!device.contains { $0.hasPrefix("record SYSTEMD_WANTS=") })
            #expect(device.contains("record CURRENT_TAGS=:external-accessory:"), "\(device)")
            #expect(device.contains("record ID_MM_DEVICE_IGNORE=1"))
            // Units requested for the port are still started.
            #expect(found["ttyUSB0"]?.contains("record SYSTEMD_WANTS=external-accessory@.service") == true)
        }

        @Test("A cable without a protocol is left alone, and so is a phone")
        func others() async throws {
            for name in ["usbserial-noserial-a", "umockdev-sony-xperia-mini-pro"] {
                let lines = try await properties(name).values.joined()
                #expect(!lines.isEmpty)
                #expect(!lines.contains { $0.contains("external-accessory:") && $0.hasPrefix("TAGS=") })
                #expect(!lines.contains { $0.hasPrefix("ID_MM_") })
            }
        }

        /// Has udevd process a virtual terminal with a protocol. Returns its properties and the output of a program.
        private func underUdevd(rules: String) async throws -> [String] {
            let more =
                #"KERNEL=="tty50", ENV{EXTERNAL_ACCESSORY_PROTOCOLS}="com.example.panel", "#
                + #"ENV{EXTERNAL_ACCESSORY_NAME}="Panel""#
            let child = try ChildProcess(
                Tools.unshare ?? "",
                [
                    "-m", "-n", Tools.udevFile("rules.sh"), "udevd", rules, "tty50", more,
                ] + TestProgram.commands.command("accessories"))
            #expect(await child.wait() == .exited(0))
            return await child.output()
        }

        @Test("udevd's database requests a systemd unit only if the line in the rules is enabled")
        func unit() async throws {
            let line = #"TAG+="systemd", ENV{SYSTEMD_WANTS}+="external-accessory@.service""#
            let text = try Self.text("65-external-accessory.rules")
            try #require(text.contains("\n# \(line)\n"))
            let folder = try folder(["65-external-accessory.rules": text.replacing("# \(line)", with: line)])
            defer { try? FileManager.default.removeItem(at: folder) }
            let lines = try await underUdevd(rules: folder.path)
            for line in [
                "SYSTEMD_WANTS=external-accessory@.service", "ID_MM_PORT_IGNORE=1", "record G:systemd",
                "record Q:systemd", "record G:external-accessory", "record E:ID_MM_PORT_IGNORE=1",
                "record E:SYSTEMD_WANTS=external-accessory@.service", "node root:dialout 660",
            ] {
                #expect(lines.contains(line), "\(lines)")
            }
            let before = try await underUdevd(rules: Self.rules)
            #expect(before.contains("record G:external-accessory"))
            #expect(!before.contains { $0.contains("SYSTEMD_WANTS") || $0.hasSuffix(":systemd") })
        }

        @Test("udevd assigns group, mode and tag to a port with the property, and the source finds it")
        func underUdevd() async throws {
            let lines = try await underUdevd(rules: Self.rules)
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
