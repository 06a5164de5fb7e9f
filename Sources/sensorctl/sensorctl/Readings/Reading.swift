// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import JSONBytes
import SensorTools

/// A callback from a stream, which can be printed as JSON or as lines of text. The JSON is a public format, because it
/// is stored in files of expected callbacks.
protocol Reading {
    func writeMembers(to writer: inout JSONWriter)

    /// Returns lines of text with a fixed number of columns, or an empty array if nothing should be printed.
    func lines(_ ink: TerminalStyle) -> [String]

    /// Returns the column titles, which are printed whenever they change. There are none by default.
    func titles(_ ink: TerminalStyle) -> [String]

    /// The message for a callback that is not a reading, or nil (the default) if the callback is always printed. If a
    /// command's JSON output is limited to readings, the message is logged and the callback is not printed.
    var warning: String? { get }
}

extension Reading {
    func titles(_ ink: TerminalStyle) -> [String] { [] }
    var warning: String? { nil }
}

/// A reading that consists of a timestamp and values.
protocol TimedReading: Reading {
    /// The callback name to write in JSON.
    var callback: String { get }

    /// The timestamp in seconds since boot. In a replay, attitude and heading timestamps are in seconds since the start
    /// of the trace.
    var timestamp: Double { get }

    /// Writes all members except the callback name and the timestamp.
    func writeValues(to writer: inout JSONWriter)

    /// Returns the columns shown to the right of the timestamp.
    func columns(_ ink: TerminalStyle) -> [String]
}

extension TimedReading {
    func writeMembers(to writer: inout JSONWriter) {
        writer.member("callback", callback)
        writer.member("timestamp", timestamp)
        writeValues(to: &writer)
    }

    func lines(_ ink: TerminalStyle) -> [String] {
        [([ink.dim(String(format: "%12.3f s", timestamp))] + columns(ink)).joined(separator: "  ")]
    }
}

/// Receives listeners' readings on the main thread.
protocol ReadingPrinter: AnyObject { func print(_ reading: some Reading) }

/// Prints readings as lines of text or as one JSON object per line.
final class LinePrinter: ReadingPrinter {
    private let output: StandardOutput
    private let asJSON: Bool
    private let printsErrors: Bool
    private let ink: TerminalStyle
    private var writer = JSONWriter()
    private var title: String?

    /// - Parameter printsErrors: If true, errors in fused streams are printed as JSON. If false, they are logged.
    init(
        output: StandardOutput, asJSON: Bool, printsErrors: Bool = true,
        ink: TerminalStyle = TerminalStyle(.standardOutput)
    ) {
        (self.output, self.asJSON, self.printsErrors, self.ink) = (output, asJSON, printsErrors, ink)
    }

    func print(_ reading: some Reading) {
        guard asJSON else { return write(reading) }
        if !printsErrors, let warning = reading.warning {
            // Flushes earlier output so that the warning appears after it.
            output.flush()
            return Log.warning(warning)
        }
        writer.removeAll()
        writer.line { reading.writeMembers(to: &$0) }
        output.write(writer.bytes)
    }

    private func write(_ reading: some Reading) {
        let titles = reading.titles(ink)
        var text = ""
        for (index, line) in reading.lines(ink).enumerated() {
            if titles.indices.contains(index), titles[index] != title {
                title = titles[index]
                text += titles[index] + "\n"
            }
            text += line + "\n"
        }
        if !text.isEmpty { output.write(lines: text) }
    }
}

/// An error reported by a stream, which may continue afterwards.
struct StreamFailure: Reading {
    let stream: StreamName
    let error: any Error

    func writeMembers(to writer: inout JSONWriter) {
        let wrapped = error as NSError
        writer.members(["callback": "error", "stream": stream.rawValue])
        writer.object("error") { $0.members(["domain": wrapped.domain, "code": wrapped.code, "reason": error.reason]) }
    }

    func lines(_ ink: TerminalStyle) -> [String] {
        // Omits the word "no" for a fused stream, because errors do not always end a fused stream.
        [line(stream.isFused ? stream.rawValue : "no \(stream.rawValue)", ink)]
    }

    func line(_ what: String, _ ink: TerminalStyle) -> String { "\(ink.color(214, what)): \(error.reason)" }

    var warning: String? { stream.isFused ? "\(stream.rawValue): \(error.reason)" : nil }
}

extension Error {
    /// The reason for the error. If there is an underlying `DeviceError`, its description is used.
    var reason: String {
        let wrapped = self as NSError
        if let cause = wrapped.userInfo[NSUnderlyingErrorKey] as? DeviceError { return cause.description }
        if (self as? CLError)?.code == .locationUnknown { return "The receiver has no fix." }
        return wrapped.localizedDescription
    }

    func write(to writer: inout JSONWriter) {
        let wrapped = self as NSError
        writer.object("error") {
            $0.members([
                "domain": wrapped.domain, "code": wrapped.code, "name": (self as? CLError).map { "\($0.code)" },
                "reason": reason,
            ])
        }
    }
}
