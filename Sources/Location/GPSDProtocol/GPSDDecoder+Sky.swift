// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

extension GPSDDecoder {
    /// The members of a SKY.
    mutating func readSky(_ reader: inout JSONReader) throws(JSONError) -> GPSDReport {
        var report = SkyReport()
        var hasSatellites = false
        while let key = try reader.nextKey() {
            switch key.word {
            case JSONText.word("class"): try noteClass(&reader)
            case JSONText.word("device"): report.receiver = try readReceiver(&reader)
            case JSONText.word("time"): report.time = try reader.wallTime()
            case JSONText.word("hdop"): report.hdop = try reader.quantity()
            case JSONText.word("vdop"): report.vdop = try reader.quantity()
            case JSONText.word("pdop"): report.pdop = try reader.quantity()
            case JSONText.word("tdop"): report.tdop = try reader.quantity()
            case JSONText.word("gdop"): report.gdop = try reader.quantity()
            case JSONText.word("xdop"): report.xdop = try reader.quantity()
            case JSONText.word("ydop"): report.ydop = try reader.quantity()
            case JSONText.word("nSat"): report.visibleCount = try reader.count()
            case JSONText.word("uSat"): report.usedCount = try reader.count()
            default:
                if key.equals("satellites") {
                    hasSatellites = try readSatellites(&reader)
                } else {
                    try reader.skipValue()
                }
            }
        }
        if hasSatellites { report.satellites = satellites.withUnsafeBufferPointer { [Satellite]($0) } }
        return .sky(report)
    }

    /// Fills `satellites`; false when the value is no array.
    private mutating func readSatellites(_ reader: inout JSONReader) throws(JSONError) -> Bool {
        satellites.removeAll(keepingCapacity: true)
        guard try reader.beginArrayIfPresent() else { return false }
        while try reader.nextElement() {
            if try reader.peekKind() == .object, satellites.count < Self.maximumSatellites {
                satellites.append(try Self.readSatellite(&reader))
            } else {
                try reader.skipValue()
            }
        }
        return true
    }

    private static func readSatellite(_ reader: inout JSONReader) throws(JSONError) -> Satellite {
        var satellite = Satellite()
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key.word {
            case JSONText.word("PRN"): satellite.number = try reader.count(absent: 0)
            case JSONText.word("el"): satellite.elevation = try reader.quantity()
            case JSONText.word("az"): satellite.azimuth = try reader.quantity()
            case JSONText.word("ss"): satellite.signal = try reader.quantity()
            case JSONText.word("used"): satellite.isUsed = try reader.boolIfPresent() ?? false
            case JSONText.word("gnssid"):
                satellite.system = Satellite.System(rawValue: try reader.smallNumber(absent: .max))
            case JSONText.word("svid"): satellite.systemNumber = try reader.count()
            case JSONText.word("sigid"): satellite.signalIdentifier = try reader.count()
            case JSONText.word("freqid"): satellite.frequency = try reader.count()
            case JSONText.word("health"): satellite.health = try reader.count()
            default: try reader.skipValue()
            }
        }
        return satellite
    }
}
