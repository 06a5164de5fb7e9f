// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// Prints each reading as one JSON object on a line of its own.
final class JSONMotionPrinter: MotionPrinter {
    private let output: StandardOutput
    private var writer = JSONWriter()

    init(output: StandardOutput) {
        self.output = output
    }

    func print(_ reading: MotionReading) {
        begin(reading.stream.rawValue, timestamp: reading.timestamp)
        for value in reading.values {
            writer.key(text: value.name)
            writer.double(value.number)
        }
        end()
    }

    func print(orientation: String, timestamp: Double) {
        begin(StreamName.orientation.rawValue, timestamp: timestamp)
        writer.key("orientation")
        writer.string(orientation)
        end()
    }

    func print(_ error: any Error, stream: StreamName) {
        writer.removeAll()
        writer.write(error, of: stream)
        output.write(writer.bytes)
    }

    private func begin(_ callback: String, timestamp: Double) {
        writer.removeAll()
        writer.beginObject()
        writer.key("callback")
        writer.string(callback)
        writer.key("timestamp")
        writer.double(timestamp)
    }

    private func end() {
        writer.endObject()
        writer.newline()
        output.write(writer.bytes)
    }
}
