// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Synchronization

/// A trace of motion readings that a program has in memory.
///
/// Most are played once. So they are kept as the records that a player takes; the lines, which cost more than all the
/// rest of playing them, are made when somebody asks for the bytes. What they hold is the same.
package struct MadeReadings: Sendable {
    /// More would be too much text to make at once.
    package static let maximumCount = 500_000

    private(set) var records: [TraceRecord] = []
    private let header: TraceHeader
    private let headerLine: [UInt8]
    private let sensors: TraceSensors

    /// - Parameter header: has all of the sensors.
    /// - Throws: an error when it is none that can be read.
    package init(_ header: TraceHeader, name: String, count: Int) throws(DeviceError) {
        let line = header.line()
        headerLine = line + [UInt8(ascii: "\n")]
        // As it is read, which may be less than was written.
        self.header = try line.withBytes { (bytes) throws(DeviceError) in try TraceHeader(bytes, name: name) }
        sensors = TraceSensors(self.header.sensors)
        records.reserveCapacity(count)
    }

    /// Where readings of a sensor belong; nil where lines could not tell it from others.
    package func place(of sensor: SensorDescription) -> Int32? {
        let named = sensors.descriptions.indices.filter { sensors.descriptions[$0].id == sensor.id }
        guard named.count == 1, sensors.descriptions[named[0]].kind == sensor.kind else { return nil }
        return Int32(named[0])
    }

    /// Adds a reading; none that a trace cannot hold.
    ///
    /// - Parameters:
    ///   - place: where ``place(of:)`` says.
    ///   - time: in nanoseconds since the start, not before the last one's.
    @inline(__always)
    package mutating func append(_ value: SIMD3<Double>, kind: SensorKind, place: Int32, at time: Int64) {
        var record = TraceRecord(time: time, kind: .sample, range: 0..<0)
        record.sensorKind = kind
        record.sensorIndex = place
        record.x = value.x
        if kind.isVector { (record.y, record.z) = (value.y, value.z) }
        if TraceSample.isUsable(SIMD3(record.x, record.y, record.z)) { records.append(record) }
    }

    /// The trace of them.
    package func file(named name: String) -> TraceFile {
        TraceFile(
            bytes: TraceBytes(MadeBytes { text }), name: name, header: header, eventsOffset: headerLine.count,
            readings: records)
    }

    private var text: [UInt8] {
        let names = sensors.descriptions.map { TraceSampleText.member($0.id, kind: $0.kind) }
        var bytes = headerLine
        bytes.reserveCapacity(records.count * 80)
        for record in records {
            guard let sample = record.sample, let time = record.time else { continue }
            TraceSampleText.append(
                sample.value, kind: sample.kind, sensor: names[sample.sensor], time: time, stamp: time, to: &bytes)
        }
        return bytes
    }
}

/// Bytes that are made when they are asked for, once.
final class MadeBytes: Sendable {
    private let make: @Sendable () -> [UInt8]
    private let made = Mutex<[UInt8]?>(nil)

    init(_ make: @escaping @Sendable () -> [UInt8]) { self.make = make }

    var bytes: [UInt8] {
        made.withLock { made in
            if let made { return made }
            let bytes = make()
            made = bytes
            return bytes
        }
    }
}
