// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension IntegrationTests {
    @Suite(
        "Devices simulated by umockdev", .enabled(if: Tools.hasLibUdev, Tools.libUdevMissing),
        .enabled(if: Tools.hasMockedUdev, Tools.mockedUdevMissing))
    struct MockedUdevTests {
        private static let usb = "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-2"
        private static let interface = "\(usb)/1-2:1.0"
        private static let other = "\(usb)/1-2:1.1"
        private static let tty = "\(interface)/tty/ttyACM1"
        private static let scale = Tools.udevTraces.appendingPathComponent("acm-interface-string.umockdev").path
        private static let arguments = [
            "--attribute", "product", "--attribute", "serial", "--attribute", "interface", "--attribute",
            "bInterfaceNumber", "--binary", "descriptors", "usb/usb_device", "usb/usb_interface", "tty",
        ]

        /// The bytes of the description's H: line, which a read of the attribute returns.
        private func descriptors() throws -> String {
            let text = try String(contentsOfFile: Self.scale, encoding: .utf8)
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("H: descriptors=") })
            return line.dropFirst("H: descriptors=".count).lowercased()
        }

        @Test("A snapshot lists devices, parents first, with their own and their parents' attributes")
        func listsAttachedDevices() async throws {
            let stage = try UdevStage.mocked(Self.arguments)
            try await stage.perform("load \(Self.scale)")
            try await stage.perform("start")
            try #require(await stage.wait { $0.contains { $0.event == "snapshot" } })
            let records = try #require(stage.devices.first).records
            #expect(records.map(\.path) == [Self.usb, Self.interface, Self.tty, Self.other])
            let usb = try #require(records.first)
            #expect(usb.type == "usb_device")
            #expect(usb.node == "/dev/bus/usb/001/006")
            #expect(
                usb.attributes == [
                    "product": "Weigh Scale", "serial": "WS-7731", "descriptors": try descriptors(),
                ])
            #expect(usb.properties["ID_MODEL"] == "Weigh_Scale")
            #expect(usb.usbDevice == Self.usb)
            #expect(usb.usbInterface == "")
            let tty = try #require(records.first { $0.subsystem == "tty" })
            #expect(tty.node == "/dev/ttyACM1")
            #expect(tty.attributes["serial"] == "WS-7731")
            #expect(tty.attributes["interface"] == "com.example.scale")
            #expect(tty.attributes["bInterfaceNumber"] == "00")
            #expect(tty.usbInterface == Self.interface)
            #expect(tty.usbDevice == Self.usb)
            #expect(try await stage.end() == 0)
        }

        @Test("Devices are reported when added, changed and removed, with a complete last record")
        func reportsChanges() async throws {
            let stage = try UdevStage.mocked(Self.arguments)
            try await stage.perform("start")
            try #require(await stage.wait { $0.contains { $0.event == "snapshot" } })
            #expect(stage.paths == [])
            try await stage.perform("load \(Self.scale)")
            try #require(await stage.waits(for: "added", Self.tty))
            // Uevents without changes are not reported.
            for action in ["add", "change", "bind"] { try await stage.perform("event \(action) \(Self.tty)") }
            try await stage.perform(
                "property \(Self.tty) EXTERNAL_ACCESSORY_PROTOCOLS com.example.scale,com.example.log")
            try await stage.perform("event change \(Self.tty)")
            try #require(await stage.waits(for: "added", Self.tty, count: 2))
            let record = try #require(stage.devices.last?.device)
            #expect(record.properties["EXTERNAL_ACCESSORY_PROTOCOLS"] == "com.example.scale,com.example.log")

            try await stage.perform("vanish \(Self.tty) \(Self.other) \(Self.interface) \(Self.usb)")
            try #require(await stage.waits(for: "removed", Self.usb))
            let events = stage.devices
            #expect(
                events.map(\.summary) == [
                    "snapshot", "added \(Self.usb)", "added \(Self.interface)", "added \(Self.other)",
                    "added \(Self.tty)", "added \(Self.tty)", "removed \(Self.tty)", "removed \(Self.other)",
                    "removed \(Self.interface)", "removed \(Self.usb)",
                ])
            #expect(events[6].device == record)
            #expect(events[7].device == events[3].device)
            #expect(events[8].device == events[2].device)
            #expect(events[9].device == events[1].device)
            #expect(events[9].device?.attributes["descriptors"] == (try descriptors()))
            #expect(try await stage.end() == 0)
        }

        @Test("A device that was present at the start is not reported again without changes")
        func staysSilent() async throws {
            let stage = try UdevStage.mocked(Self.arguments)
            try await stage.perform("load \(Self.scale)")
            try await stage.perform("start")
            try #require(await stage.wait { $0.contains { $0.event == "snapshot" } })
            // Devices with a node are reported once more, because udevd has processed them now.
            for path in [Self.usb, Self.interface, Self.tty] { try await stage.perform("event add \(path)") }
            for path in [Self.usb, Self.interface, Self.tty] { try await stage.perform("event add \(path)") }
            try await stage.perform("event remove \(Self.tty)")
            try #require(await stage.waits(for: "removed", Self.tty))
            #expect(
                stage.devices.map(\.summary).dropFirst() == [
                    "added \(Self.usb)", "added \(Self.tty)", "removed \(Self.tty)",
                ])
            #expect(try await stage.end() == 0)
        }
    }
}
