// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Prints one aligned line for each reading, for people whose output is not a terminal.
final class LineReadingPrinter<Value: FusedReading>: ReadingPrinter {
    private let output: StandardOutput
    private let ink = Ink(.standardOutput)

    init(output: StandardOutput) {
        self.output = output
    }

    func print(_ reading: Value) {
        output.write(line: reading.line(ink))
    }

    func print(_ error: any Error) {
        // Not "no …": it may come nevertheless, and only be less than was asked for.
        output.write(line: "\(ink.color(214, Value.stream.rawValue)): \(error.reason)")
    }
}
