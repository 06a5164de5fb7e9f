// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import JSONBytes
import SensorTools

/// Writes to standard output, or to a closure that replaces it. Without buffering, lines of up to PIPE_BUF bytes are
/// written with a single system call. Must be used on a single thread.
final class StandardOutput {
    private let stop: StopRequest
    private let descriptor = Descriptor.standardOutput
    private let sink: (([UInt8]) -> Void)?
    private var isBroken = false
    /// The number of buffered bytes at which the buffer is flushed, or 0 to write immediately.
    private let block: Int
    private var buffer: [UInt8] = []

    /// - Parameters:
    ///   - isBuffered: If true, output is buffered until a block is full or ``flush()`` is called.
    ///   - sink: A closure that receives the output instead of standard output.
    init(stop: StopRequest, isBuffered: Bool = false, sink: (([UInt8]) -> Void)? = nil) {
        (self.stop, self.sink) = (stop, sink)
        block = isBuffered ? 1 << 15 : 0
    }

    /// Writes bytes. If the write fails, requests a stop and discards further output.
    func write(_ bytes: [UInt8]) {
        if let sink { return sink(bytes) }
        guard block > 0 else { return writeImmediately(bytes) }
        buffer += bytes
        if buffer.count >= block { flush() }
    }

    func flush() {
        guard !buffer.isEmpty else { return }
        writeImmediately(buffer)
        buffer.removeAll(keepingCapacity: true)
    }

    private func writeImmediately(_ bytes: [UInt8]) {
        guard !isBroken else { return }
        let outcome = descriptor.write(bytes, shouldContinue: { stop.reason == nil })
        isBroken = outcome != .written
        switch outcome {
        case .written: break
        case .closed: stop.request(.outputClosed)
        case .failed(let number): stop.request(.unwritable(errno: number))
        }
    }

    func write(line: String) { write(lines: line + "\n") }

    /// Writes lines of text. The lines are sanitized, because they may contain untrusted text.
    func write(lines: String) { write(TerminalText.lines(lines)) }

    func writeObject(_ body: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.line(body)
        write(writer.bytes)
    }

    /// Prints an address in a JSON object or as text. If it is printed as text, also logs an example of its use.
    func announce(_ address: String, asJSON: Bool, example: String, _ members: JSONMembers) {
        guard asJSON else {
            write(line: address)
            return Log.notice("for example: \(example)")
        }
        writeObject { writer in
            writer.member("event", "listening")
            writer.members(members)
        }
    }

    func write(_ report: some Report, asJSON: Bool) {
        guard asJSON else { return write(line: report.text(ink: TerminalStyle(descriptor))) }
        var writer = JSONWriter()
        report.write(to: &writer)
        write(writer.bytes)
    }
}

extension TerminalStyle {
    /// Enables styles on a terminal that supports them, unless the user has disabled colours (https://no-color.org).
    init(_ descriptor: Descriptor) {
        let environment = ProcessInfo.processInfo.environment
        let isRefused = !(environment["NO_COLOR"] ?? "").isEmpty || environment["TERM"] == "dumb"
        self.init(isOn: descriptor.isTerminal && !isRefused)
    }
}

/// The colours used in pictures, as xterm colour numbers (0 to 255).
enum Palette {
    static let speed = [33, 39, 45, 49, 84, 120, 156, 191, 227, 221, 215, 209]
    static let accent = 81
    static let text = 255
    static let good = 84
    static let fair = 221
    static let bad = 209
    static let faint = 238

    static func speed(_ share: Double) -> Int {
        guard share.isFinite else { return speed[0] }
        let index = Int((share * Double(speed.count)).rounded(.down))
        return speed[min(max(index, 0), speed.count - 1)]
    }

    static func accuracy(_ metres: Double) -> Int { metres < 8 ? good : metres < 25 ? fair : bad }
}
