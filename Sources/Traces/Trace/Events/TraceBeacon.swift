// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import JSONBytes

/// The JSON encoding of a beacon event in a trace: a sighting with signal strengths in dBm, or the loss or return of
/// the beacon source.
enum TraceBeacon {
    private static let lossMessage = "Beacons could not be received when this trace was recorded."

    /// Parses a beacon event, or returns nil if the JSON or a value is invalid. An invalid signal strength becomes nil.
    static func event(_ json: UnsafeRawBufferPointer, at time: BootTime) -> BeaconEvent? {
        JSONReader.parse(json) { reader throws(JSONError) in try read(&reader, time) }
    }

    private static func read(_ reader: inout JSONReader, _ time: BootTime) throws(JSONError) -> BeaconEvent? {
        guard try reader.beginObjectIfPresent() else { return nil }
        var (uuid, major, minor): (BeaconUUID?, UInt16?, UInt16?)
        var (rssi, power): (Int8?, Int8?)
        var other: BeaconEvent?
        while let key = try reader.nextKey() {
            switch key.word {
            case JSONText.word("uuid"): uuid = try reader.textIfPresent().flatMap { BeaconUUID($0.string()) }
            case JSONText.word("major"): major = try reader.int64IfPresent().flatMap(UInt16.init(exactly:))
            case JSONText.word("minor"): minor = try reader.int64IfPresent().flatMap(UInt16.init(exactly:))
            case JSONText.word("rssi"): rssi = try reader.int64IfPresent().flatMap(Int8.init(exactly:))
            case JSONText.word("power"): power = try reader.int64IfPresent().flatMap(Int8.init(exactly:))
            case JSONText.word("lost"):
                other = .lost(TraceLoss.error(try reader.readRawValue(), standardMessage: lossMessage))
            case JSONText.word("regained"): if try reader.boolIfPresent() == true { other = .regained }
            default: try reader.skipValue()
            }
        }
        if let other { return other }
        guard let uuid, let major, let minor, let power else { return nil }
        return .sighting(
            BeaconSighting(
                identity: BeaconIdentity(uuid: uuid, major: major, minor: minor), rssi: rssi, measuredPower: power,
                time: time))
    }
}

extension BeaconEvent: JSONWritable {
    @usableFromInline package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            switch self {
            case .sighting(let sighting):
                writer.member("uuid", sighting.identity.uuid.description)
                writer.member("major", Int64(sighting.identity.major))
                writer.member("minor", Int64(sighting.identity.minor))
                if let rssi = sighting.rssi { writer.member("rssi", Int64(rssi)) }
                writer.member("power", Int64(sighting.measuredPower))
            case .lost(let error): writer.member("lost", error)
            case .regained: writer.member("regained", true)
            }
        }
    }
}
