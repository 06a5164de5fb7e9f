// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing
import Trace
import UmockdevFormat

@testable import TraceFormats

@Suite("umockdev recordings")
struct UmockdevRecordingTests {
    /// Returns the accessory events of a trace as text.
    private func events(_ trace: TraceFile) -> [String] {
        trace.bytes.withUnsafeBytes { bytes in
            var cursor = TraceCursor(trace)
            var events: [String] = []
            while let event = cursor.nextEvent(bytes) {
                guard case .accessory(let accessory) = event.contents else { continue }
                let time = Double(event.time ?? -1) / 1e9
                let what =
                    switch accessory.change {
                    case .attached(let description):
                        "attach \(description.name) \(description.serialNumber) \(description.protocols.map(\.name).joined(separator: "|"))"
                    case .detached: "detach"
                    case .opened(let name): "open \(name)"
                    case .closed(let name, let reason): "close \(name) \(reason)"
                    case .received(_, let bytes): "in \(String(decoding: bytes, as: UTF8.self))"
                    case .sent(_, let bytes): "out \(String(decoding: bytes, as: UTF8.self))"
                    }
                events.append("\(time) \(accessory.accessory) \(what)".replacing("\r\n", with: "^"))
            }
            #expect(cursor.warningCount == 0)
            return events
        }
    }

    /// The dialogue in the script: `r 20`, `w 0`, `r 40`, `w 0`, `r 15`, `w 0`, `r 350`.
    private static let dialogue = [
        "0.0 1 open com.example.scale", "0.0 1 out ID?^", "0.02 1 in Weigh Scale WS-2024 2.10^", "0.02 1 out TARE^",
        "0.06 1 in OK^", "0.06 1 out SI^", "0.075 1 in S D     12.4 g^", "0.075 1 out S^",
        "0.425 1 in S S     12.5 g^", "0.425 1 close com.example.scale closed",
    ]

    @Test(
        "A description and the script beside it are one recording, which either path opens",
        arguments: ["umockdev", "script"])
    func scale(ending: String) throws {
        let file = try RecordingFile.open(Files.trace("udev/weigh-scale.\(ending)"))
        #expect(file.format == .umockdev)
        #expect(file.remarks == [])
        let events = events(file.trace)
        #expect(
            events.first?.hasPrefix("0.0 1 attach Weigh Scale WS-2024 com.example.scale") == true,
            "\(events.first ?? "")")
        #expect(Array(events.dropFirst()) == Self.dialogue)
        #expect(file.trace.start == nil)
    }

    // The expected names are those in the files.
    @Test("Without a dialogue, accessories are only attached")
    func descriptions() throws {
        let file = try RecordingFile.open(Files.trace("udev/ea-native-two-protocols.umockdev"))
        #expect(
            events(file.trace) == ["0.0 1 attach Dual Bridge DB0001 com.example.bridge.data|com.example.bridge.update"])
        let bytes = try Files.bytes(Files.trace("udev/acm-plain.umockdev"))
        let memory = try RecordingFile.read(bytes, name: "standard input")
        #expect(memory.format == .umockdev)
        #expect(events(memory.trace) == ["0.0 1 attach Thermo Probe TP00042 com.example.thermoprobe"])
    }

    @Test("A dialogue with a device that is not an accessory uses the name of its node")
    func node() throws {
        let file = try RecordingFile.open(Files.trace("udev/umockdev-fido2.umockdev"))
        let events = events(file.trace)
        #expect(events.first == "0.0 1 attach hidraw5  umockdev.hidraw5")
        #expect(events.dropFirst().first == "0.0 1 open umockdev.hidraw5")
        #expect(file.remarks.first?.contains("it is named hidraw5, and its protocol umockdev.hidraw5") == true)
        let script = "w 5 a^J\nr 250 b^@\n"
        let unnamed = try Files.withFolder { folder in
            try Files.write([UInt8](script.utf8), folder + "/x.script")
            return try RecordingFile.open(folder + "/x.script").trace
        }
        #expect(
            self.events(unnamed) == [
                "0.0 1 attach device  umockdev.device", "0.0 1 open umockdev.device", "0.005 1 out a\n",
                "0.255 1 in b\0", "0.255 1 close umockdev.device closed",
            ])
    }

    @Test("Script contents that a trace cannot store are reported")
    func fuzz() throws {
        let file = try RecordingFile.read([UInt8]("d 0 /dev/ttyS1\nf 12 -\nw 0 a\n".utf8), name: "x")
        #expect(file.remarks.contains { $0.contains("up to 12 percent") })
        #expect(events(file.trace).contains("0.0 1 out a"))
    }

    @Test("Errors name the line, and the error for devices without a protocol names the remedy")
    func errors() {
        let cases: [(text: String, expected: String)] = [
            ("P: /devices/a\nE: SUBSYSTEM=tty\n\nnonsense\n", "x, line 4: A device must begin with"),
            ("P: /devices/a\nE: SUBSYSTEM=tty\n", "Add the property EXTERNAL_ACCESSORY_PROTOCOLS"),
            ("d 0 /dev/ttyS1\nr x y\n", "x, line 2: The number must be an integer"),
        ]
        for (text, expected) in cases {
            let error = #expect(throws: DeviceError.self) { try RecordingFile.read([UInt8](text.utf8), name: "x") }
            #expect(error?.message.contains(expected) == true, "\(error?.message ?? "")")
        }
    }

    @Test("Times beyond the maximum are limited to it")
    func ages() throws {
        let lines = (0..<5000).map { _ in "r 4000000000 a" }.joined(separator: "\n")
        let file = try RecordingFile.read([UInt8]("d 0 /dev/ttyS1\n\(lines)\n".utf8), name: "x")
        #expect(events(file.trace).count == 5003)
    }
}
