// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

/// Encodes events as trace lines with nondecreasing times.
package struct TraceEventEncoder {
    /// The time of the last line, in nanoseconds since the start of the trace.
    private var lastTime = Int64.min
    /// A cache of the encoded `sensor` members, by sensor ID.
    private var members: [SensorDescription.ID: [UInt8]] = [:]

    package init() {}

    /// Appends an event as one or more lines. Omits empty accessory data and readings that a trace cannot represent.
    package mutating func append(_ event: TraceEvent, to buffer: inout [UInt8]) {
        let requestedTime = event.time ?? max(lastTime, 0)
        let time = nondecreasingTime(requestedTime)
        switch event.contents {
        case .gpsd(let line), .gpsdText(let line):
            line.withUnsafeBytes { Self.append(gpsdLine: $0, at: time, to: &buffer) }
        case .lost(let error): Self.append(",\"lost\":", error, at: time, to: &buffer)
        case .regained: Self.append(",\"regained\":", true, at: time, to: &buffer)
        case .sample(let value, let kind, let sensor, let stamp):
            TraceSampleText.append(
                value, kind: kind, sensor: member(sensor, kind), time: time, stamp: stamp ?? requestedTime, to: &buffer)
        case .sensorLost(let error, let sensor):
            Self.append(",\"lost\":", error, sensor: sensor, at: time, to: &buffer)
        case .sensorRegained(let sensor): Self.append(",\"regained\":", true, sensor: sensor, at: time, to: &buffer)
        case .battery(let battery): Self.append(",\"battery\":", battery, at: time, to: &buffer)
        case .accessory(let event): event.append(at: time, to: &buffer)
        case .beacon(let event): Self.append(",\"beacon\":", event, at: time, to: &buffer)
        }
    }

    mutating func nondecreasingTime(_ time: Int64) -> Int64 {
        self.lastTime = max(self.lastTime, time)
        return self.lastTime
    }

    private mutating func member(_ sensor: SensorDescription.ID, _ kind: SensorKind) -> [UInt8] {
        if sensor == kind.rawValue { return [] }
        if let known = members[sensor] { return known }
        let member = TraceSampleText.member(sensor)
        members[sensor] = member
        return member
    }
}

extension TraceEventEncoder {
    static func append(gpsdLine line: UnsafeRawBufferPointer, at time: Int64, to buffer: inout [UInt8]) {
        if GPSDLineCheck.isEmbeddable(line) {
            TraceLine.begin(",\"gpsd\":", time, &buffer)
            buffer.append(contentsOf: line)
        } else if let text = String(validating: line, as: UTF8.self) {
            TraceLine.begin(",\"gpsdText\":", time, &buffer)
            append(text, to: &buffer)
        } else {
            TraceLine.begin(",\"gpsdHex\":\"", time, &buffer)
            buffer.append(contentsOf: HexDigit.text(line).utf8)
            buffer.append(UInt8(ascii: "\""))
        }
        TraceLine.end(&buffer)
    }

    private static func append(
        _ key: StaticString, _ value: some JSONWritable, sensor: String? = nil, at time: Int64,
        to buffer: inout [UInt8]
    ) {
        TraceLine.begin(key, time, &buffer)
        append(value, to: &buffer)
        if let sensor { buffer.append(contentsOf: TraceSampleText.member(sensor)) }
        TraceLine.end(&buffer)
    }

    private static func append(_ value: some JSONWritable, to buffer: inout [UInt8]) {
        var writer = JSONWriter()
        value.write(to: &writer)
        buffer.append(contentsOf: writer.bytes)
    }
}
