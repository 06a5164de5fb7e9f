// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import JSONBytes

extension TraceRecord {
    /// The line that gpsd sent, without its line end; empty for records that hold no line of gpsd.
    ///
    /// - Parameter bytes: the bytes of the file that the record comes from.
    public func line(in bytes: UnsafeRawBufferPointer) -> [UInt8] {
        guard let contents = contents(in: bytes) else { return [] }
        switch kind {
        case .gpsd: return [UInt8](contents)
        case .gpsdText where isHexadecimal: return HexDigit.bytes(contents)
        case .gpsdText: return [UInt8](JSONText(unchecked: contents).string().utf8)
        case .lost, .regained, .sample, .battery, .sensorLost, .sensorRegained, .accessory, .beacon: return []
        }
    }

    /// True for a report that begins as gpsd writes those of positions, whatever follows.
    ///
    /// - Parameter bytes: the bytes of the file that the record comes from.
    package func isPosition(in bytes: UnsafeRawBufferPointer) -> Bool {
        kind == .gpsd && range.lowerBound >= 0 && range.upperBound <= bytes.count
            && Bytes.start(bytes, at: range.lowerBound, end: range.upperBound, with: "{\"class\":\"TPV\"")
    }

    /// True for a line that begins as a report of gpsd does and is none, as where it was cut off.
    ///
    /// - Parameter bytes: the bytes of the file that the record comes from.
    package func isDamagedReport(in bytes: UnsafeRawBufferPointer) -> Bool {
        guard kind == .gpsdText, let contents = contents(in: bytes) else { return false }
        return isHexadecimal
            ? contents.starts(with: "7b".utf8) || contents.starts(with: "7B".utf8)
            : contents.first == UInt8(ascii: "{")
    }

    /// Why positions, or a sensor's readings, could not be had; nil for records of another kind.
    ///
    /// - Parameter bytes: the bytes of the file that the record comes from.
    public func loss(in bytes: UnsafeRawBufferPointer) -> DeviceError? {
        guard kind == .lost || kind == .sensorLost else { return nil }
        let message = kind == .lost ? TraceLoss.standardMessage : TraceLoss.standardSensorMessage
        guard let contents = contents(in: bytes) else { return DeviceError(.connectionLost, message) }
        return TraceLoss.error(contents, standardMessage: message)
    }

    /// The battery; nil when there was none any more, and for records of another kind than `battery`.
    ///
    /// - Parameter bytes: the bytes of the file that the record comes from.
    public func battery(in bytes: UnsafeRawBufferPointer) -> BatteryReading? {
        guard kind == .battery, let contents = contents(in: bytes) else { return nil }
        return TraceBattery.reading(contents)
    }

    /// False for a battery event with a level outside 0…1, an unknown state or an unknown member.
    func hasReadableBattery(in bytes: UnsafeRawBufferPointer) -> Bool {
        contents(in: bytes).map { TraceBattery.isReadable($0) } ?? false
    }

    /// What happened to an accessory; nil for records of another kind.
    ///
    /// - Parameter bytes: the bytes of the file that the record comes from.
    public func accessoryEvent(in bytes: UnsafeRawBufferPointer) -> TraceAccessoryEvent? {
        guard kind == .accessory, let line = contents(in: bytes) else { return nil }
        return TraceAccessoryEvent(line: line)
    }

    /// What was heard of beacons; nil for records of another kind. The time of a sighting counts from the start of the
    /// trace.
    ///
    /// - Parameter bytes: the bytes of the file that the record comes from.
    public func beaconEvent(in bytes: UnsafeRawBufferPointer) -> BeaconEvent? {
        guard kind == .beacon, let contents = contents(in: bytes) else { return nil }
        return TraceBeacon.event(contents, at: BootTime(nanoseconds: time ?? 0))
    }

    private func contents(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard range.lowerBound >= 0, range.upperBound <= bytes.count else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[range])
    }
}
