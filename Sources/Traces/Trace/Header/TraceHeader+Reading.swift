// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

/// Parses headers. ``warnings(about:)`` reports the members that are ignored.
extension TraceHeader {
    /// The maximum number of entries in a list of devices, contexts or sensor rates. Excess entries are ignored.
    static let maximumEntries = 1024
    private static let maximumMembers = 1024

    /// True if the line is a header of this format, even if it is truncated after the format name.
    static func isHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        let isHeader = JSONReader.parse(line) { reader throws(JSONError) -> Bool? in
            try reader.beginObject()
            while let key = try reader.nextKey() {
                if key.word == JSONText.word("format"), let name = try reader.textIfPresent() {
                    return name.equals("device-services-trace")
                }
                try reader.skipValue()
            }
            return nil
        }
        return isHeader == true
    }

    init(_ line: UnsafeRawBufferPointer, name: String) throws(DeviceError) {
        do throws(JSONError) {
            // Checks the version first, because other keys may have different meanings in a later version.
            guard let version = try Self.version(line), version >= 1 else { throw JSONError(.wrongType, at: 0) }
            guard version < Double(Self.currentVersion + 1) else { throw JSONError(.outOfRange, at: 0) }
            self.init()
            // A member missing from the line is left empty. The defaults apply only to new headers.
            clock = ""
            units = [:]
            frame = ""
            self.version = Int(version)
            var reader = JSONReader(line)
            try reader.beginObject()
            while let key = try reader.nextKey() { try readMember(key, &reader) }
            try reader.finish()
            warnings = Self.warnings(about: line)
        } catch {
            throw Self.failure(error, name)
        }
    }

    /// Returns the error to throw. `outOfRange` indicates a later version, and `wrongType` an invalid `version` or
    /// `start`.
    private static func failure(_ error: JSONError, _ name: String) -> DeviceError {
        switch error.reason {
        case .outOfRange:
            DeviceError(
                .notSupported,
                "\(name) is a trace of a later version than \(currentVersion), the latest that this program supports. Update the program, or record again with an older one."
            )
        case .wrongType:
            DeviceError(
                .invalidTrace,
                "The trace header of \(name) has an invalid \"version\" or \"start\". A valid header contains \"version\":1 and \"start\":{\"utc\":\"2026-01-31T12:00:00Z\",\"boot\":1.5}."
            )
        case .truncated:
            DeviceError(
                .invalidTrace, "\(name) ends in the middle of its header: nothing was recorded. Record it again.")
        default:
            DeviceError(.invalidTrace, "The trace header of \(name) is not valid JSON: \(error.description).")
        }
    }

    private static func version(_ line: UnsafeRawBufferPointer) throws(JSONError) -> Double? {
        var version: Double?
        var reader = JSONReader(line)
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key.word == JSONText.word("version") {
                version = try reader.doubleIfPresent()
            } else {
                try reader.skipValue()
            }
        }
        return version
    }

    private mutating func readMember(_ key: JSONText, _ reader: inout JSONReader) throws(JSONError) {
        switch key.word {
        case JSONText.word("format"), JSONText.word("version"): try reader.skipValue()
        case JSONText.word("start"): start = try Self.readStart(&reader)
        case JSONText.word("clock"): clock = try Self.text(&reader)
        case JSONText.word("devices"): devices = try Self.readDevices(&reader)
        case JSONText.word("sensors"): (sensors, calibrations) = try Self.readSensors(&reader)
        case JSONText.word("contexts"): contexts = try Self.readContexts(&reader)
        case JSONText.word("battery"): battery = try TraceBattery.read(&reader)
        case JSONText.word("units"): units = try Self.readUnits(&reader)
        case JSONText.word("frame"): frame = try Self.text(&reader)
        case JSONText.word("recorder"): recorder = try Self.text(&reader)
        case JSONText.word("source"): source = try Self.text(&reader)
        default: try Self.readOther(key, &reader, &otherMembers)
        }
    }

    static func text(_ reader: inout JSONReader) throws(JSONError) -> String {
        try reader.textIfPresent()?.string() ?? ""
    }

    private static func readOther(
        _ key: JSONText, _ reader: inout JSONReader, _ members: inout [TraceMember]
    ) throws(JSONError) {
        let json = try reader.readRawValue()
        if members.count < maximumMembers { members.append(TraceMember(name: key.string(), json: [UInt8](json))) }
    }

    private static func readStart(_ reader: inout JSONReader) throws(JSONError) -> Start? {
        guard try reader.peekKind() == .object else {
            if try reader.readNull() { return nil }
            throw JSONError(.wrongType, at: reader.offset)
        }
        var wallTime: Int64?
        var boot: Int64? = 0
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key.word {
            case JSONText.word("utc"): wallTime = try reader.textIfPresent().flatMap { CivilTime.parse($0.rawBytes) }
            case JSONText.word("boot"): boot = TraceSeconds.parse(try reader.readRawValue())
            default: try reader.skipValue()
            }
        }
        guard let wallTime, let boot else { throw JSONError(.wrongType, at: reader.offset) }
        return Start(wallTime: WallTime(nanoseconds: wallTime), boot: BootTime(nanoseconds: boot))
    }

    private static func readUnits(_ reader: inout JSONReader) throws(JSONError) -> [String: String] {
        var units: [String: String] = [:]
        guard try reader.beginObjectIfPresent() else { return units }
        while let key = try reader.nextKey() {
            guard let unit = try reader.textIfPresent(), units.count < maximumMembers else { continue }
            units[key.string()] = unit.string()
        }
        return units
    }

    private static func readDevices(_ reader: inout JSONReader) throws(JSONError) -> [TraceDevice] {
        var devices: [TraceDevice] = []
        guard try reader.beginArrayIfPresent() else { return devices }
        while try reader.nextElement() {
            guard try reader.beginObjectIfPresent(reading: devices.count < maximumEntries) else { continue }
            devices.append(try readDevice(&reader))
        }
        return devices
    }

    private static func readContexts(_ reader: inout JSONReader) throws(JSONError) -> [String] {
        var contexts: [String] = []
        guard try reader.beginArrayIfPresent() else { return contexts }
        while try reader.nextElement() {
            guard let text = try reader.textIfPresent(), contexts.count < maximumEntries else { continue }
            contexts.append(text.string())
        }
        return contexts
    }

    private static func readDevice(_ reader: inout JSONReader) throws(JSONError) -> TraceDevice {
        var device = TraceDevice(kind: "")
        while let key = try reader.nextKey() {
            switch key.word {
            case JSONText.word("kind"): device.kind = try text(&reader)
            case JSONText.word("path"): device.receiver.path = try text(&reader)
            case JSONText.word("driver"): device.receiver.driver = try text(&reader)
            case JSONText.word("subtype"): device.receiver.subtype = try text(&reader)
            case JSONText.word("subtype1"): device.receiver.subtype1 = try text(&reader)
            case JSONText.word("bps"):
                device.receiver.bitsPerSecond = try reader.int64IfPresent().flatMap(Int32.init(exactly:)) ?? 0
            case JSONText.word("cycle"): device.receiver.cycle = try reader.doubleIfPresent()
            default: try readOther(key, &reader, &device.otherMembers)
            }
        }
        return device
    }
}
