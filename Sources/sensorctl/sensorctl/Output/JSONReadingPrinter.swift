// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// Prints each reading as one JSON object on a line of its own.
final class JSONReadingPrinter<Value: FusedReading>: ReadingPrinter {
    private let output: StandardOutput
    private let tellsErrors: Bool
    private var writer = JSONWriter()

    /// - Parameter tellsErrors: false to keep the output to readings; errors then are notes.
    init(output: StandardOutput, tellsErrors: Bool) {
        self.output = output
        self.tellsErrors = tellsErrors
    }

    func print(_ reading: Value) {
        writer.removeAll()
        reading.write(to: &writer)
        writer.newline()
        output.write(writer.bytes)
    }

    func print(_ error: any Error) {
        guard tellsErrors else { return Notes.warn("\(Value.stream.rawValue): \(error.reason)") }
        writer.removeAll()
        writer.write(error, of: Value.stream)
        output.write(writer.bytes)
    }
}
