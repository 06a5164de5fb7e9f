// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Prints one aligned line for each reading, for people whose output is not a terminal.
final class LineMotionPrinter: MotionPrinter {
    private let output: StandardOutput
    private let ink = Ink(.standardOutput)

    init(output: StandardOutput) {
        self.output = output
    }

    func print(_ reading: MotionReading) {
        var columns = [ink.dim(Self.time(reading.timestamp))]
        columns += reading.values.map { value in
            let name = value.name.count > 1 ? value.name + " " : value.name
            return "\(ink.dim(name)) \(ink.bold(String(format: "%9.4f", value.number)))"
        }
        if let magnitude = reading.magnitude {
            columns.append(ink.dim(String(format: "| %8.4f %@", magnitude, reading.stream.unit)))
        } else {
            columns.append(ink.dim(reading.values.map(\.unit).joined(separator: ", ")))
        }
        output.write(line: columns.joined(separator: "  "))
    }

    func print(orientation: String, timestamp: Double) {
        output.write(line: "\(ink.dim(Self.time(timestamp)))  \(ink.bold(orientation))")
    }

    func print(_ error: any Error, stream: StreamName) {
        output.write(line: "\(ink.color(214, "no \(stream.rawValue)")): \(error.reason)")
    }

    private static func time(_ seconds: Double) -> String { String(format: "%12.3f s", seconds) }
}
