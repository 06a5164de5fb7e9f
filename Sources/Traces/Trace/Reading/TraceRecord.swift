// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes

/// A trace event returned by ``TraceCursor``: a time, a kind and the range of the contents in the file.
///
/// A record owns no memory. The values of a motion reading are stored in the record itself. Other contents are decoded
/// on demand from the file's bytes, by methods such as ``line(in:)``.
package struct TraceRecord: Sendable, Hashable {
    package enum Kind: UInt8, Sendable {
        case gpsd
        /// A line from gpsd that is not JSON. ``TraceRecord/line(in:)`` decodes it.
        case gpsdText
        /// The position source was lost.
        case lost
        /// The position source became available again.
        case regained
        case sample
        case battery
        case sensorLost
        case sensorRegained
        /// An accessory event. Its range is the whole line.
        case accessory
        case beacon
    }

    /// The time, in nanoseconds since the start of the trace, or nil if the file contains no arrival times. Times are
    /// at least 0 and never decrease.
    package var time: Int64?
    package var kind: Kind
    /// The range of the event's contents in the file. For a motion reading, it covers the value. For a report from
    /// gpsd, it covers the report exactly as gpsd sent it, without its line terminator.
    package var range: Range<Int>
    /// True if the event is a line from gpsd, stored as hexadecimal digits.
    var isHexadecimal = false
    /// The sensor kind. Meaningful only if the event has a sensor.
    var sensorKind = SensorKind.accelerometer
    /// The index of the sensor in the cursor's list, or negative if the event has no sensor.
    var sensorIndex: Int32 = -1
    /// The components of a motion reading. They are separate properties, because a `SIMD3` would make the record 50 %
    /// larger.
    var x = 0.0
    var y = 0.0
    var z = 0.0
    /// The measurement time, or `Int64.min` if the event has none.
    var stamp = Int64.min

    init(time: Int64?, kind: Kind, range: Range<Int>) {
        (self.time, self.kind, self.range) = (time, kind, range)
    }

    package var sample: TraceSample? {
        guard kind == .sample, sensorIndex >= 0 else { return nil }
        return TraceSample(
            sensor: Int(sensorIndex), kind: sensorKind, value: SIMD3(x, y, z), stamp: stamp == .min ? nil : stamp)
    }

    /// The index of the motion sensor in ``TraceCursor/sensors``, or nil if the event has no motion sensor.
    package var sensor: Int? { sensorIndex < 0 ? nil : Int(sensorIndex) }
}

extension TraceRecord {
    /// Returns the line that gpsd sent, without its terminator, or an empty array for other kinds of records.
    package func line(in bytes: UnsafeRawBufferPointer) -> [UInt8] {
        guard let contents = contents(in: bytes) else { return [] }
        switch kind {
        case .gpsd: return [UInt8](contents)
        case .gpsdText where isHexadecimal: return HexDigit.bytes(contents)
        case .gpsdText: return [UInt8](JSONText(unchecked: contents).string().utf8)
        case .lost, .regained, .sample, .battery, .sensorLost, .sensorRegained, .accessory, .beacon: return []
        }
    }

    /// True if the record is a report that begins like a position report. The rest of the report is not checked.
    package func isPosition(in bytes: UnsafeRawBufferPointer) -> Bool {
        kind == .gpsd && range.lowerBound >= 0 && range.upperBound <= bytes.count
            && ByteMatching.hasPrefix(bytes, at: range.lowerBound, end: range.upperBound, "{\"class\":\"TPV\"")
    }

    /// True if the record is text that begins like a gpsd report but is not valid JSON, for example a truncated report.
    package func isDamagedReport(in bytes: UnsafeRawBufferPointer) -> Bool {
        guard kind == .gpsdText, let contents = contents(in: bytes) else { return false }
        return isHexadecimal
            ? contents.starts(with: "7b".utf8) || contents.starts(with: "7B".utf8)
            : contents.first == UInt8(ascii: "{")
    }

    /// Returns the reason why the position source or a sensor was lost, or nil for other kinds of records.
    package func loss(in bytes: UnsafeRawBufferPointer) -> DeviceError? {
        guard kind == .lost || kind == .sensorLost else { return nil }
        let message = kind == .lost ? TraceLoss.standardMessage : TraceLoss.standardSensorMessage
        guard let contents = contents(in: bytes) else { return DeviceError(.connectionLost, message) }
        return TraceLoss.error(contents, standardMessage: message)
    }

    /// Returns the battery reading, or nil if the battery was removed or the record is of another kind.
    package func battery(in bytes: UnsafeRawBufferPointer) -> BatteryReading? {
        guard kind == .battery, let contents = contents(in: bytes) else { return nil }
        return TraceBattery.reading(contents)
    }

    /// True if the value of a battery event is null, or an object whose members are all known and valid.
    func hasFullyValidBattery(in bytes: UnsafeRawBufferPointer) -> Bool {
        contents(in: bytes).map { TraceBattery.isFullyValid($0) } ?? false
    }

    package func accessoryEvent(in bytes: UnsafeRawBufferPointer) -> TraceAccessoryEvent? {
        guard kind == .accessory, let line = contents(in: bytes) else { return nil }
        return TraceAccessoryEvent(line: line)
    }

    /// Returns the beacon event, or nil for other kinds of records. The time of a sighting is relative to the start of
    /// the trace.
    package func beaconEvent(in bytes: UnsafeRawBufferPointer) -> BeaconEvent? {
        guard kind == .beacon, let contents = contents(in: bytes) else { return nil }
        return TraceBeacon.event(contents, at: BootTime(nanoseconds: time ?? 0))
    }

    private func contents(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard range.lowerBound >= 0, range.upperBound <= bytes.count else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[range])
    }
}
