// SPDX-License-Identifier: Apache-2.0

import DeviceSupport
import Foundation
import JSONBytes
import SensorTools

struct MotionReading: TimedReading {
    struct Value {
        let name: String
        let number: Double
        let unit: String

        init(_ name: String, _ number: Double, unit: String) {
            (self.name, self.number, self.unit) = (name, number, unit)
        }
    }

    let stream: StreamName
    let timestamp: TimeInterval
    let values: [Value]

    init(stream: StreamName, timestamp: TimeInterval, values: [Value]) {
        (self.stream, self.timestamp, self.values) = (stream, timestamp, values)
    }

    init(stream: StreamName, timestamp: TimeInterval, axes: SIMD3<Double>) {
        self.init(
            stream: stream, timestamp: timestamp,
            values: [("x", axes.x), ("y", axes.y), ("z", axes.z)].map { Value($0, $1, unit: stream.unit) })
    }

    var magnitude: Double? {
        guard stream != .pressure else { return nil }
        return values.reduce(0) { $0 + $1.number * $1.number }.squareRoot()
    }

    var callback: String { stream.rawValue }

    func writeValues(to writer: inout JSONWriter) {
        for value in values { writer.member(text: value.name, value.number) }
    }

    func columns(_ ink: TerminalStyle) -> [String] {
        let numbers = values.map { value in
            let name = value.name.count > 1 ? value.name + " " : value.name
            return "\(ink.dim(name)) \(ink.bold(String(format: "%9.4f", value.number)))"
        }
        let last =
            magnitude.map { String(format: "| %8.4f %@", $0, stream.unit) }
            ?? values.map(\.unit).joined(separator: ", ")
        return numbers + [ink.dim(last)]
    }
}

/// The orientation of the device, printed each time it changes.
struct OrientationReading: TimedReading {
    let orientation: UIDeviceOrientation
    let timestamp: Double

    var callback: String { StreamName.orientation.rawValue }
    func writeValues(to writer: inout JSONWriter) { writer.member("orientation", "\(orientation)") }
    func columns(_ ink: TerminalStyle) -> [String] { [ink.bold("\(orientation)")] }
}
