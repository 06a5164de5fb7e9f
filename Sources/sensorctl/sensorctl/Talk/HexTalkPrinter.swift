// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Shows both directions as rows of sixteen bytes, with the time of day.
final class HexTalkPrinter: TalkPrinter {
    private let output: StandardOutput
    private let clock: any DeviceClock
    private let ink: Ink

    init(output: StandardOutput, clock: any DeviceClock, ink: Ink) {
        self.output = output
        self.clock = clock
        self.ink = ink
    }

    func opened(_ accessory: AccessoryDescription, protocol name: String) {
        output.write(line: "\(time)  -- \(accessory.label), \(name)")
    }

    func received(_ bytes: [UInt8]) { show(bytes, mark: ink.color(78, "<")) }

    func sent(_ bytes: [UInt8]) { show(bytes, mark: ink.color(111, ">")) }

    func ended(_ end: ByteChannelEnd) {
        output.write(line: "\(time)  -- \(end.words)")
    }

    private var time: String {
        let civil = CivilDate(clock.wallTime)
        let milliseconds = String(civil.nanosecond / 1_000_000)
        return ink.dim(civil.timeOfDay + "." + String(repeating: "0", count: 3 - milliseconds.count) + milliseconds)
    }

    private func show(_ bytes: [UInt8], mark: String) {
        let time = time
        var text = ""
        for row in Self.rows(bytes) { text += "\(time)  \(mark) \(row)\n" }
        output.write(Array(text.utf8))
    }

    /// Sixteen bytes a row, in hexadecimal and as text with a dot for what is not printable ASCII.
    static func rows(_ bytes: [UInt8]) -> [String] {
        stride(from: 0, to: bytes.count, by: 16).map { start in
            let row = bytes[start..<min(start + 16, bytes.count)]
            var digits = ""
            for (index, byte) in row.enumerated() {
                if index > 0 { digits += index == 8 ? "  " : " " }
                digits += Printable.hex([byte])
            }
            let text = String(decoding: row.map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: ".") }, as: UTF8.self)
            return digits + String(repeating: " ", count: 50 - digits.utf8.count) + text
        }
    }
}

extension ByteChannelEnd {
    /// How it ended, in a few words.
    var words: String {
        switch reason {
        case .closed: "closed"
        case .hungUp: "the accessory has hung up"
        case .detached: "the accessory was unplugged"
        case .failed: error.map { Printable.text($0.description) } ?? "the connection has failed"
        }
    }
}
