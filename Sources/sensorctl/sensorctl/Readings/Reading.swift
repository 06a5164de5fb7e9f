// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import JSONBytes
import SensorTools

/// Something that a stream tells. It describes itself once, as the members of an object and as lines; printers make text,
/// JSON and pictures of that.
protocol Reading {
    func writeMembers(to writer: inout JSONWriter)

    /// Lines for people, with as many columns each time; none for what is usual.
    func lines(_ ink: Ink) -> [String]

    /// What stands over each of the lines where it differs from what stood over the last one; none for most.
    func titles(_ ink: Ink) -> [String]

    /// What is noted in place of it where the output is to hold readings only; nil for a reading.
    var note: String? { get }
}

extension Reading {
    func titles(_ ink: Ink) -> [String] { [] }
    var note: String? { nil }
}

/// A reading with a time, which a picture may show.
protocol TimedReading: Reading {
    /// The name of the callback in JSON.
    var callback: String { get }

    /// Seconds since boot; of an attitude or a heading in a replay, since the start of the trace.
    var timestamp: Double { get }

    /// Writes the members behind the callback and the time.
    func writeValues(to writer: inout JSONWriter)

    /// The columns behind the time.
    func columns(_ ink: Ink) -> [String]
}

extension TimedReading {
    func writeMembers(to writer: inout JSONWriter) {
        writer.member("callback", callback)
        writer.member("timestamp", timestamp)
        writeValues(to: &writer)
    }

    func lines(_ ink: Ink) -> [String] {
        [([ink.dim(String(format: "%12.3f s", timestamp))] + columns(ink)).joined(separator: "  ")]
    }
}

protocol ReadingPrinter: AnyObject {
    func print(_ reading: some Reading)
}

/// Prints readings as lines: for people, or one JSON object each.
final class LinePrinter: ReadingPrinter {
    private let output: StandardOutput
    private let asJSON: Bool
    private let tellsErrors: Bool
    private let ink: Ink
    private var writer = JSONWriter()
    private var title: String?

    /// - Parameter tellsErrors: false to keep JSON to readings; errors then are notes.
    init(output: StandardOutput, asJSON: Bool, tellsErrors: Bool = true, ink: Ink = Ink(.standardOutput)) {
        self.output = output
        self.asJSON = asJSON
        self.tellsErrors = tellsErrors
        self.ink = ink
    }

    func print(_ reading: some Reading) {
        guard asJSON else { return write(reading) }
        if !tellsErrors, let note = reading.note {
            output.flush()
            return Notes.warn(note)
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

struct StreamFailure: Reading {
    let stream: StreamName
    let error: any Error

    func writeMembers(to writer: inout JSONWriter) {
        let wrapped = error as NSError
        writer.members(["callback": "error", "stream": stream.rawValue])
        writer.object("error") {
            $0.members(["domain": wrapped.domain, "code": wrapped.code, "reason": error.reason])
        }
    }

    func lines(_ ink: Ink) -> [String] {
        // What several sensors make may come nevertheless, and only be less than was asked for.
        [line(stream.isFused ? stream.rawValue : "no \(stream.rawValue)", ink)]
    }

    /// - Parameter what: what is said to be so.
    func line(_ what: String, _ ink: Ink) -> String { "\(ink.color(214, what)): \(error.reason)" }

    var note: String? { stream.isFused ? "\(stream.rawValue): \(error.reason)" : nil }
}

extension Error {
    /// Why it happened, in the words of the device where it has said something.
    var reason: String {
        let wrapped = self as NSError
        if let cause = wrapped.userInfo[NSUnderlyingErrorKey] as? DeviceError { return cause.description }
        if (self as? CLError)?.code == .locationUnknown { return "The receiver has no fix." }
        return wrapped.localizedDescription
    }
}
