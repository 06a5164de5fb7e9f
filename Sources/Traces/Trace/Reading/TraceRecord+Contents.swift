// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes

extension TraceRecord {
    /// Returns the line that gpsd sent, without its line terminator; empty for records of other kinds.
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

    /// True if the record is a report that begins like gpsd's position reports. The rest is not checked.
    ///
    /// - Parameter bytes: The bytes of the file from which the record was read.
    package func isPosition(in bytes: UnsafeRawBufferPointer) -> Bool {
        kind == .gpsd && range.lowerBound >= 0 && range.upperBound <= bytes.count
            && ByteMatching.hasPrefix(bytes, at: range.lowerBound, end: range.upperBound, "{\"class\":\"TPV\"")
    }

    /// True if the record is text that begins like a report of gpsd but is not valid JSON, for example a truncated
    /// report.
    ///
    /// - Parameter bytes: The bytes of the file from which the record was read.
    package func isDamagedReport(in bytes: UnsafeRawBufferPointer) -> Bool {
        guard kind == .gpsdText, let contents = contents(in: bytes) else { return false }
        return isHexadecimal
            ? contents.starts(with: "7b".utf8) || contents.starts(with: "7B".utf8)
            : contents.first == UInt8(ascii: "{")
    }

    /// Returns the reason why the position source or a sensor was lost; nil for other kinds of records.
    ///
    /// - Parameter bytes: The bytes of the file from which the record was read.
    package func loss(in bytes: UnsafeRawBufferPointer) -> DeviceError? {
        guard kind == .lost || kind == .sensorLost else { return nil }
        let message = kind == .lost ? TraceLoss.standardMessage : TraceLoss.standardSensorMessage
        guard let contents = contents(in: bytes) else { return DeviceError(.connectionLost, message) }
        return TraceLoss.error(contents, standardMessage: message)
    }

    /// Returns the battery reading; nil if the battery was removed, and for other kinds of records.
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

    /// Returns the accessory event; nil for other kinds of records.
    ///
    /// - Parameter bytes: The bytes of the file from which the record was read.
    package func accessoryEvent(in bytes: UnsafeRawBufferPointer) -> TraceAccessoryEvent? {
        guard kind == .accessory, let line = contents(in: bytes) else { return nil }
        return TraceAccessoryEvent(line: line)
    }

    /// Returns the beacon event; nil for other kinds of records. The time of a sighting counts from the start of the
    /// trace.
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
