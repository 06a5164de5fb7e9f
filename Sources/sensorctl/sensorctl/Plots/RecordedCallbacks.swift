// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import SystemCalls
import Trace

/// The output of `replay --json` or `replay --expect`, which a plot can compare with a recording's callbacks.
struct RecordedCallbacks {
    let name: String
    private let bytes: TraceBytes

    /// The first bytes of a callback and of the header that `replay --expect` writes.
    private static let beginnings = ["{\"callback\":\"", "{\"format\":\"device-services-expectations\""]
    /// The maximum length of a line, in bytes.
    private static let limit = 1 << 20

    static func isCallbackFile(_ path: String) -> Bool {
        // Checks only regular files, because reading from a pipe would consume its data.
        guard path != "-", FileIdentity(path)?.isFolder == false else { return false }
        let file = systemOpen(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return false }
        defer { systemClose(file) }
        var start = [UInt8](repeating: 0, count: 64)
        let count = start.withUnsafeMutableBytes { systemRead(file, $0) }
        return beginnings.contains { start.prefix(max(count, 0)).starts(with: $0.utf8) }
    }

    init(path: String) throws(DeviceError) {
        name = path
        bytes = try TraceBytes(path: path)
    }

    /// Delivers the callbacks. Returns the number of invalid lines and the line number of the first one.
    func deliver(to collector: PlotCollector, _ isWanted: (StreamName) -> Bool) -> (invalidCount: Int, firstLine: Int) {
        bytes.withUnsafeBytes { bytes in
            var (start, number, invalidCount, first) = (0, 0, 0, 0)
            while start < bytes.count {
                let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
                number += 1
                let line = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                start = end + 1
                guard !line.isEmpty else { continue }
                if !Self.processLine(line, collector, isWanted) {
                    invalidCount += 1
                    if first == 0 { first = number }
                }
            }
            return (invalidCount, first)
        }
    }

    private static func processLine(
        _ line: UnsafeRawBufferPointer, _ collector: PlotCollector, _ isWanted: (StreamName) -> Bool
    ) -> Bool {
        guard line.count <= limit, let values = try? Values(line) else { return false }
        switch values.callback {
        case "deviceMotion" where isWanted(.deviceMotion): if let reading = values.motion { collector.print(reading) }
        case "heading" where isWanted(.heading): if let reading = values.heading { collector.print(reading) }
        default:
            guard let stream = StreamName(rawValue: values.callback), stream.isSensor, isWanted(stream) else { break }
            if let reading = values.reading(of: stream) { collector.print(reading) }
        }
        return true
    }
}

private struct Values {
    private(set) var callback = ""
    private var numbers: [String: Double] = [:]
    private var quaternion: [Double] = []

    init(_ line: UnsafeRawBufferPointer) throws(JSONError) {
        var reader = JSONReader(line)
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key.equals("callback") {
                callback = try reader.readText().string()
            } else if key.equals("quaternion") {
                try reader.beginArray()
                while try reader.nextElement() { quaternion.append(try reader.readDouble()) }
            } else if case .number = try reader.peekKind() {
                numbers[key.string()] = try reader.readDouble()
            } else {
                try reader.skipValue()
            }
        }
        try reader.finish()
    }

    private var timestamp: Double { numbers["timestamp"] ?? .nan }

    func reading(of stream: StreamName) -> MotionReading? {
        let names = stream == .pressure ? ["pressure"] : ["x", "y", "z"]
        let values = names.compactMap { name in numbers[name].map { MotionReading.Value(name, $0, unit: stream.unit) } }
        return values.count == names.count ? MotionReading(stream: stream, timestamp: timestamp, values: values) : nil
    }

    var heading: HeadingReading? {
        guard let magnetic = numbers["magneticHeading"] else { return nil }
        return HeadingReading(
            timestamp: timestamp, magneticHeading: magnetic, trueHeading: numbers["trueHeading"] ?? -1,
            headingAccuracy: numbers["headingAccuracy"] ?? -1, field: .zero)
    }

    /// The device motion. As in Core Motion, roll, pitch and yaw are defined by R = Rz(yaw) Rx(pitch) Ry(roll), where R
    /// is the rotation represented by the quaternion.
    var motion: DeviceMotionReading? {
        guard quaternion.count == 4 else { return nil }
        let (x, y, z, w) = (quaternion[0], quaternion[1], quaternion[2], quaternion[3])
        var reading = DeviceMotionReading(timestamp: timestamp, quaternion: SIMD4(x, y, z, w), gravity: .zero)
        let (side, up): (Double, Double) = (2 * (w * y - x * z), 1 - 2 * (x * x + y * y))
        let cosine = (side * side + up * up).squareRoot()
        reading.pitch = atan2(2 * (y * z + w * x), cosine)
        // If the device is upright, roll and yaw rotate it about the same axis. In that case, all rotation counts as
        // yaw.
        let isUpright = cosine <= 1e-8
        reading.roll = isUpright ? 0 : atan2(side, up)
        reading.yaw =
            isUpright
            ? atan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z)) : atan2(2 * (w * z - x * y), 1 - 2 * (x * x + z * z))
        return reading
    }
}
