// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import JSONBytes
import SensorTools
import SystemCalls

enum TalkEvent {
    case opened(AccessoryDescription, protocolName: String)
    case received([UInt8])
    case sent([UInt8])
    case ended(ByteChannelEnd)
}

/// An event and its time. In JSON, each chunk of bytes is an object. In text, chunks are printed in rows of 16 bytes.
struct TalkReading: Reading {
    let event: TalkEvent
    let time: WallTime

    func writeMembers(to writer: inout JSONWriter) {
        writer.member("time", CivilDate(time).timestamp)
        switch event {
        case .opened(let accessory, let name):
            writer.members([
                "event": "opened", "accessory": accessory.name, "identity": accessory.identity, "protocol": name,
                "node": accessory.accessoryProtocol(named: name)?.node?.path,
            ])
        case .received(let bytes): Self.write("in", bytes, to: &writer)
        case .sent(let bytes): Self.write("out", bytes, to: &writer)
        case .ended(let end):
            writer.members(["event": "ended", "reason": "\(end.reason)", "unsentBytes": end.unsentBytes])
        }
    }

    private static func write(_ event: String, _ bytes: [UInt8], to writer: inout JSONWriter) {
        writer.members(["event": event, "bytes": bytes.count])
        if let text = TerminalText.plain(bytes) {
            writer.member("text", text)
        } else {
            writer.member("hex", HexDigit.text(bytes))
        }
    }

    func lines(_ ink: TerminalStyle) -> [String] {
        let civil = CivilDate(time)
        let milliseconds = String(civil.nanosecond / 1_000_000)
        let zeros = String(repeating: "0", count: 3 - milliseconds.count)
        let stamp = ink.dim("\(civil.timeOfDay).\(zeros)\(milliseconds)")
        return switch event {
        case .opened(let accessory, let name): ["\(stamp)  -- \(accessory.label), \(name)"]
        case .received(let bytes): Self.rows(bytes).map { "\(stamp)  \(ink.color(78, "<")) \($0)" }
        case .sent(let bytes): Self.rows(bytes).map { "\(stamp)  \(ink.color(111, ">")) \($0)" }
        case .ended(let end): ["\(stamp)  -- \(end.displayText)"]
        }
    }

    /// Returns a hex dump. Anything other than printable ASCII is shown as dots.
    static func rows(_ bytes: [UInt8]) -> [String] {
        stride(from: 0, to: bytes.count, by: 16).map { start in
            let row = bytes[start..<min(start + 16, bytes.count)]
            var digits = ""
            for (index, byte) in row.enumerated() {
                if index > 0 { digits += index == 8 ? "  " : " " }
                digits += HexDigit.text([byte])
            }
            let text = String(decoding: row.map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: ".") }, as: UTF8.self)
            return digits + String(repeating: " ", count: 50 - digits.utf8.count) + text
        }
    }
}

/// Prints only the data from the accessory.
final class RawTalkPrinter {
    let output: StandardOutput
    /// True if control characters are escaped to keep a terminal from interpreting them.
    let escapesControls: Bool
    /// The key that ends the session, or nil if the input is not a terminal.
    let endingKey: String?
    private var visible = TerminalFilter()

    init(output: StandardOutput, escapesControls: Bool, endingKey: String?) {
        (self.output, self.escapesControls, self.endingKey) = (output, escapesControls, endingKey)
    }

    func show(_ event: TalkEvent) {
        switch event {
        case .opened(let accessory, let name):
            if let endingKey { Log.notice("connected to \(accessory.label), \(name); \(endingKey) ends the session") }
        case .received(let bytes): output.write(escapesControls ? visible.filter(bytes) : bytes)
        case .ended: finish()
        case .sent: break
        }
    }

    /// At the end of a session, prints bytes that were held because they could not be processed before more arrived.
    func finish() {
        let bytes = visible.finish()
        if !bytes.isEmpty { output.write(bytes) }
    }
}

/// Makes a byte stream safe to print to a terminal.
struct TerminalFilter {
    /// The last bytes of the previous chunk, if they cannot be processed yet: a carriage return or an incomplete UTF-8
    /// sequence.
    private var held: [UInt8] = []

    /// Escapes control characters except tabs and line breaks, in the notation of `cat -v`, such as ^[ for escape.
    /// Replaces invalid UTF-8 and multibyte control characters.
    mutating func filter(_ bytes: [UInt8]) -> [UInt8] {
        let all = held + bytes
        let count = Self.completeCount(all)
        held = Array(all[count...])
        return Self.escape(all[..<count])
    }

    /// Returns the held bytes of the previous chunk, with any incomplete character replaced.
    mutating func finish() -> [UInt8] { Self.escape(exchange(&held, with: [])[...]) }

    private static func escape(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let text = String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n")
        let escaped = text.utf8.flatMap { $0 == 0x7F || ($0 < 0x20 && $0 != 9 && $0 != 10) ? [0x5E, $0 ^ 0x40] : [$0] }
        return Array(TerminalSanitizer.sanitizedLines(String(decoding: escaped, as: UTF8.self)).utf8)
    }

    /// Returns the number of bytes that can be processed before the next chunk arrives.
    private static func completeCount(_ bytes: [UInt8]) -> Int {
        if bytes.last == 13 { return bytes.count - 1 }
        for back in 1...3 where back <= bytes.count {
            let byte = bytes[bytes.count - back]
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC2 ? 2 : 1
            if length > back { return bytes.count - back }
            if byte < 0x80 || byte >= 0xC0 { break }
        }
        return bytes.count
    }
}

/// The reason a session with an accessory ended.
enum TalkEnd: Sendable {
    case finished
    /// A signal arrived, or the output's reader closed the pipe.
    case stopped
    case notSelected(AccessorySelector.Failure)
    case notOpened(DeviceError)
    /// The accessory was disconnected before the session was complete.
    case disconnected(String, ByteChannelEnd)
    case differs(String)
    case stalled(bytes: Int)

    /// True if a later attempt may succeed.
    var isTransient: Bool {
        switch self {
        case .notSelected(.missing), .notOpened: true
        default: false
        }
    }

    var message: String? {
        switch self {
        case .notSelected(let failure): failure.message
        case .notOpened(let error): error.description
        default: nil
        }
    }

    func status() -> ExitStatus {
        switch self {
        case .finished, .stopped: return .success
        case .notSelected(let failure):
            Log.error(failure.message)
            if case .ambiguous = failure { return .usage }
            return .unavailable
        case .notOpened(let error):
            Log.error(error.description)
            return error.code == .permissionDenied ? .noPermission : .unavailable
        case .disconnected(let name, let end):
            let lost = end.unsentBytes > 0 ? " \(end.unsentBytes) bytes were not sent." : ""
            Log.warning("\(name): \(end.displayText).\(lost)")
            return .unavailable
        case .differs(let text):
            Log.error(text)
            return .different
        case .stalled(let bytes):
            Log.error(
                "The accessory accepted no data for \(Int(TalkOptions.sendTimeout)) s. \(bytes) bytes were not sent.")
            return .inputOutput
        }
    }
}

extension ByteChannelEnd {
    var displayText: String {
        switch reason {
        case .closed: "closed"
        case .hungUp: "the accessory closed the connection"
        case .detached: "the accessory was unplugged"
        case .failed: error.map { TerminalText.text($0.description) } ?? "the connection failed"
        }
    }
}
