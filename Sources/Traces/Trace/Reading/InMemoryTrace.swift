// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Synchronization

/// An in-memory trace of motion readings.
///
/// A player uses the records directly. The equivalent text is generated only if the trace's bytes are requested,
/// because generating it takes longer than playing the records.
package struct InMemoryTrace: Sendable {
    /// The maximum number of readings, which limits the size of the generated text.
    package static let maximumCount = 500_000
    private(set) var records: [TraceRecord] = []
    private let header: TraceHeader
    private let headerLine: [UInt8]
    private let sensors: TraceSensors

    /// Creates a trace without readings, and reserves memory for `count` readings. The header must contain all sensors.
    /// Throws an error if the encoded header cannot be parsed.
    package init(_ header: TraceHeader, name: String, count: Int) throws(DeviceError) {
        let line = header.line()
        headerLine = line + [UInt8(ascii: "\n")]
        // Parses the encoded header, so that the sensor indices in the records match those obtained by parsing the
        // generated text.
        self.header = try line.withBytes { (bytes) throws(DeviceError) in try TraceHeader(bytes, name: name) }
        sensors = TraceSensors(self.header.sensors)
        records.reserveCapacity(count)
    }

    /// Returns the index of a sensor. Returns nil if the header does not contain exactly one sensor with this ID, or if
    /// that sensor is of a different kind.
    package func sensorIndex(of sensor: SensorDescription) -> Int32? {
        let named = sensors.descriptions.indices.filter { sensors.descriptions[$0].id == sensor.id }
        guard named.count == 1, sensors.descriptions[named[0]].kind == sensor.kind else { return nil }
        return Int32(named[0])
    }

    /// Appends a reading, or ignores it if a trace cannot represent it. Times are in nanoseconds since the start of the
    /// trace and must not decrease. `sensorIndex` is the index returned by ``sensorIndex(of:)``.
    @inline(__always)
    package mutating func append(_ value: SIMD3<Double>, kind: SensorKind, sensorIndex: Int32, at time: Int64) {
        var record = TraceRecord(time: time, kind: .sample, range: 0..<0)
        record.sensorKind = kind
        record.sensorIndex = sensorIndex
        record.x = value.x
        if kind.isVector { (record.y, record.z) = (value.y, value.z) }
        if TraceSample.isValid(SIMD3(record.x, record.y, record.z)) { records.append(record) }
    }

    package func file(named name: String) -> TraceFile {
        TraceFile(
            bytes: TraceBytes(LazyBytes { text }), name: name, header: header, eventsOffset: headerLine.count,
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

/// Bytes that are generated once, on first access.
final class LazyBytes: Sendable {
    private let make: @Sendable () -> [UInt8]
    private let cached = Mutex<[UInt8]?>(nil)

    init(_ make: @escaping @Sendable () -> [UInt8]) { self.make = make }

    var bytes: [UInt8] {
        cached.withLock { cachedBytes in
            if let cachedBytes { return cachedBytes }
            let bytes = make()
            cachedBytes = bytes
            return bytes
        }
    }
}
