// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import JSONBytes
import SensorTools

/// Standard output, one write for each line or block of lines; or whoever takes it in its place. Used from one thread.
final class StandardOutput {
    private let stop: Stop
    private let descriptor = Descriptor.standardOutput
    private let taker: (([UInt8]) -> Void)?
    private var isBroken = false
    /// How much is gathered before it is written.
    private let block: Int
    private var gathered: [UInt8] = []

    /// - Parameters:
    ///   - gathers: true where nobody waits for single lines; ``flush()`` writes the last ones.
    ///   - taker: a part of the program that takes the output.
    init(stop: Stop, gathers: Bool = false, taker: (([UInt8]) -> Void)? = nil) {
        (self.stop, self.taker) = (stop, taker)
        block = gathers ? 1 << 15 : 0
    }

    /// Writes at once, or when enough has come together. When that fails the verb is asked to stop; what comes afterwards
    /// is dropped.
    func write(_ bytes: [UInt8]) {
        if let taker { return taker(bytes) }
        guard block > 0 else { return put(bytes) }
        gathered += bytes
        if gathered.count >= block { flush() }
    }

    /// Writes what has come together.
    func flush() {
        guard !gathered.isEmpty else { return }
        put(gathered)
        gathered.removeAll(keepingCapacity: true)
    }

    private func put(_ bytes: [UInt8]) {
        guard !isBroken else { return }
        let outcome = descriptor.write(bytes, isPatient: { stop.reason == nil })
        isBroken = outcome != .written
        switch outcome {
        case .written: break
        case .closed: stop.request(.outputClosed)
        case .failed(let number): stop.request(.unwritable(errno: number))
        }
    }

    /// Writes lines for people.
    func write(line: String) { write(lines: line + "\n") }

    /// Writes text for people, whose parts may come from anywhere.
    func write(lines: String) { write(Printable.lines(lines)) }

    func writeObject(_ body: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.line(body)
        write(writer.bytes)
    }

    /// Says where something listens: as an object, or as a line with an example of its use in a note.
    func announce(_ place: String, asJSON: Bool, example: String, _ members: JSONMembers) {
        guard asJSON else {
            write(line: place)
            return Notes.say("for example: \(example)")
        }
        writeObject { writer in
            writer.member("event", "listening")
            writer.members(members)
        }
    }

    /// Writes a report, as a page for people or as JSON.
    func write(_ report: some Report, asJSON: Bool) {
        guard asJSON else { return write(line: report.text(ink: Ink(descriptor))) }
        var writer = JSONWriter()
        report.write(to: &writer)
        write(writer.bytes)
    }
}

extension Ink {
    /// For a terminal; none elsewhere, or when the user wants none (https://no-color.org).
    init(_ descriptor: Descriptor) {
        let environment = ProcessInfo.processInfo.environment
        let isRefused = !(environment["NO_COLOR"] ?? "").isEmpty || environment["TERM"] == "dumb"
        self.init(isOn: descriptor.isTerminal && !isRefused)
    }
}

/// The colours of pictures, as numbers of xterm's 256.
enum Palette {
    /// From slow to fast.
    static let speed = [33, 39, 45, 49, 84, 120, 156, 191, 227, 221, 215, 209]
    static let accent = 81
    static let text = 255
    static let good = 84
    static let fair = 221
    static let bad = 209
    static let faint = 238

    /// The colour of a share from 0 to 1.
    static func speed(_ share: Double) -> Int {
        guard share.isFinite else { return speed[0] }
        let index = Int((share * Double(speed.count)).rounded(.down))
        return speed[min(max(index, 0), speed.count - 1)]
    }

    static func accuracy(_ metres: Double) -> Int { metres < 8 ? good : metres < 25 ? fair : bad }
}
