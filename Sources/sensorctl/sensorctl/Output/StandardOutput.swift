// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import SensorTools

/// Standard output, one write for each line or block of lines; or whoever takes it in its place. Used from one thread.
final class StandardOutput {
    private let stop: Stop
    private let descriptor: Descriptor
    private let taker: (([UInt8]) -> Void)?
    private var isBroken = false

    init(stop: Stop, descriptor: Descriptor = .standardOutput) {
        self.stop = stop
        self.descriptor = descriptor
        taker = nil
    }

    /// Output that a part of the program takes.
    init(stop: Stop, taker: @escaping ([UInt8]) -> Void) {
        self.stop = stop
        descriptor = .standardOutput
        self.taker = taker
    }

    /// Writes at once. When that fails the verb is asked to stop; what comes afterwards is dropped.
    func write(_ bytes: [UInt8]) {
        if let taker { return taker(bytes) }
        guard !isBroken else { return }
        switch descriptor.write(bytes, isPatient: { stop.reason == nil }) {
        case .written: break
        case .closed:
            isBroken = true
            stop.request(.outputClosed)
        case .failed(let number):
            isBroken = true
            let error = DeviceError(
                .inputOutput, "Standard output cannot be written.", cause: .system(call: "write", errno: number))
            stop.request(.failed(error, .inputOutput))
        }
    }

    func write(line: String) { write(Array((line + "\n").utf8)) }

    func writeObject(_ body: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.line(body)
        write(writer.bytes)
    }

    /// Says where something listens: as an object, or as a line with an example of its use in a note.
    func announce(_ place: String, asJSON: Bool, example: String, _ members: (inout JSONWriter) -> Void) {
        guard asJSON else {
            write(line: place)
            return Notes.say("for example: \(example)")
        }
        writeObject { writer in
            writer.member("event", "listening")
            members(&writer)
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
