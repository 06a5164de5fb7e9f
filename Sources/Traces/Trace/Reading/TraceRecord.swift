// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes

/// A trace event returned by ``TraceCursor``: a time, a kind and the range of the contents in the file.
///
/// A record owns no memory. The values of a motion reading are stored in the record itself. ``line(in:)``,
/// ``loss(in:)``, ``battery(in:)``, ``accessoryEvent(in:)`` and ``beaconEvent(in:)`` decode or copy other contents on
/// demand.
package struct TraceRecord: Sendable, Hashable {
    /// The kind of event.
    package enum Kind: UInt8, Sendable {
        /// A report from gpsd. The record's range contains the report.
        case gpsd
        /// A line from gpsd that is not JSON. The range contains the line in encoded form; ``TraceRecord/line(in:)``
        /// decodes it.
        case gpsdText
        /// The position source was lost. ``TraceRecord/loss(in:)`` returns the reason.
        case lost
        /// The position source became available again.
        case regained
        /// A reading of a motion sensor. ``TraceRecord/sample`` contains the reading.
        case sample
        /// The battery's level or state changed. ``TraceRecord/battery(in:)`` returns the reading.
        case battery
        /// The motion sensor ``TraceRecord/sensor`` was lost. ``TraceRecord/loss(in:)`` returns the reason.
        case sensorLost
        /// The motion sensor ``TraceRecord/sensor`` became available again.
        case sensorRegained
        /// An accessory event. The range is the whole line; ``TraceRecord/accessoryEvent(in:)`` parses it.
        case accessory
        /// A beacon event. ``TraceRecord/beaconEvent(in:)`` returns the event.
        case beacon
    }

    /// The time in nanoseconds since the start of the trace. It is at least 0 and never earlier than the previous
    /// record's time. nil if the file contains no arrival times.
    package var time: Int64?
    /// The kind of event.
    package var kind: Kind
    /// The range of the contents. For a report, this is the line exactly as gpsd sent it, without its line terminator;
    /// for a motion reading, the value.
    package var range: Range<Int>
    /// True if the text of the line is encoded as hexadecimal digits.
    var isHexadecimal = false
    /// The sensor kind. Unspecified if the event has no sensor.
    var sensorKind = SensorKind.accelerometer
    /// The index of the sensor in the cursor's list. Negative if the event has no sensor.
    var sensorIndex: Int32 = -1
    /// The value of a motion reading. Using SIMD3 would make the record half as large again.
    var x = 0.0
    var y = 0.0
    var z = 0.0
    /// The time of measurement, or `Int64.min` if the event does not contain one.
    var stamp = Int64.min

    init(time: Int64?, kind: Kind, range: Range<Int>) {
        self.time = time
        self.kind = kind
        self.range = range
    }

    /// The motion reading, or nil for other kinds of records.
    package var sample: TraceSample? {
        guard kind == .sample, sensorIndex >= 0 else { return nil }
        return TraceSample(
            sensor: Int(sensorIndex), kind: sensorKind, value: SIMD3(x, y, z), stamp: stamp == .min ? nil : stamp)
    }

    /// The motion sensor of the event, as an index into ``TraceCursor/sensors``, or nil if the event has none.
    package var sensor: Int? { sensorIndex < 0 ? nil : Int(sensorIndex) }
}

extension TraceRecord {
    /// Returns the line that gpsd sent, without its line terminator. Returns an empty array for other kinds of records.
    ///
    /// - Parameter bytes: The bytes of the file from which the record was read.
    package func line(in bytes: UnsafeRawBufferPointer) -> [UInt8] {
        guard let contents = contents(in: bytes) else { return [] }
        switch kind {
        case .gpsd: return [UInt8](contents)
        case .gpsdText where isHexadecimal: return HexDigit.bytes(contents)
        case .gpsdText: return [UInt8](JSONText(unchecked: contents).string().utf8)
        case .lost, .regained, .sample, .battery, .sensorLost, .sensorRegained, .accessory, .beacon: return []
        }
    }

    /// True if the record is a report that begins like a gpsd position report. The rest of the report is not checked.
    ///
    /// - Parameter bytes: The bytes of the file from which the record was read.
    package func isPosition(in bytes: UnsafeRawBufferPointer) -> Bool {
        kind == .gpsd && range.lowerBound >= 0 && range.upperBound <= bytes.count
            && ByteMatching.hasPrefix(bytes, at: range.lowerBound, end: range.upperBound, "{\"class\":\"TPV\"")
    }

    /// True if the record is text that begins like a gpsd report but is not valid JSON, for example a truncated report.
    ///
    /// - Parameter bytes: The bytes of the file from which the record was read.
    package func isDamagedReport(in bytes: UnsafeRawBufferPointer) -> Bool {
        guard kind == .gpsdText, let contents = contents(in: bytes) else { return false }
        return isHexadecimal
            ? contents.starts(with: "7b".utf8) || contents.starts(with: "7B".utf8)
            : contents.first == UInt8(ascii: "{")
    }

    /// Returns the reason why the position source or a sensor was lost, or nil for other kinds of records.
    ///
    /// - Parameter bytes: The bytes of the file from which the record was read.
    package func loss(in bytes: UnsafeRawBufferPointer) -> DeviceError? {
        guard kind == .lost || kind == .sensorLost else { return nil }
        let message = kind == .lost ? TraceLoss.standardMessage : TraceLoss.standardSensorMessage
        guard let contents = contents(in: bytes) else { return DeviceError(.connectionLost, message) }
        return TraceLoss.error(contents, standardMessage: message)
    }

    /// Returns the battery reading. Returns nil if the battery was removed, and for other kinds of records.
    ///
    /// - Parameter bytes: The bytes of the file from which the record was read.
    package func battery(in bytes: UnsafeRawBufferPointer) -> BatteryReading? {
        guard kind == .battery, let contents = contents(in: bytes) else { return nil }
        return TraceBattery.reading(contents)
    }

    /// False for a battery event with a level outside 0…1, an unknown state or an unknown member.
    func hasReadableBattery(in bytes: UnsafeRawBufferPointer) -> Bool {
        contents(in: bytes).map { TraceBattery.isReadable($0) } ?? false
    }

    /// Returns the accessory event, or nil for other kinds of records.
    ///
    /// - Parameter bytes: The bytes of the file from which the record was read.
    package func accessoryEvent(in bytes: UnsafeRawBufferPointer) -> TraceAccessoryEvent? {
        guard kind == .accessory, let line = contents(in: bytes) else { return nil }
        return TraceAccessoryEvent(line: line)
    }

    /// Returns the beacon event, or nil for other kinds of records. The time of a sighting is relative to the start of
    /// the trace.
    ///
    /// - Parameter bytes: The bytes of the file from which the record was read.
    package func beaconEvent(in bytes: UnsafeRawBufferPointer) -> BeaconEvent? {
        guard kind == .beacon, let contents = contents(in: bytes) else { return nil }
        return TraceBeacon.event(contents, at: BootTime(nanoseconds: time ?? 0))
    }

    private func contents(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard range.lowerBound >= 0, range.upperBound <= bytes.count else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[range])
    }
}
