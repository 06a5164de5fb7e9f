// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import JSONBytes

extension GPSDEncoder {
    /// A SKY.
    public static func line(_ report: SkyReport) -> [UInt8] {
        var members = Members("SKY")
        members.text("device", report.receiver)
        members.time("time", report.time)
        members.number("xdop", report.xdop, decimals: 2)
        members.number("ydop", report.ydop, decimals: 2)
        members.number("vdop", report.vdop, decimals: 2)
        members.number("tdop", report.tdop, decimals: 2)
        members.number("hdop", report.hdop, decimals: 2)
        members.number("gdop", report.gdop, decimals: 2)
        members.number("pdop", report.pdop, decimals: 2)
        members.countIfKnown("nSat", report.visibleCount)
        members.countIfKnown("uSat", report.usedCount)
        if let satellites = report.satellites, !satellites.isEmpty {
            members.writer.key("satellites")
            members.writer.beginArray()
            for satellite in satellites { add(satellite, to: &members) }
            members.writer.endArray()
        }
        return members.line()
    }

    private static func add(_ satellite: Satellite, to members: inout Members) {
        members.writer.beginObject()
        members.count("PRN", satellite.number)
        members.number("el", satellite.elevation, decimals: 1)
        members.number("az", satellite.azimuth, decimals: 1)
        members.number("ss", satellite.signal, decimals: 1)
        members.flag("used", satellite.isUsed)
        if let system = satellite.system { members.count("gnssid", Int32(system.rawValue)) }
        members.countIfKnown("svid", satellite.systemNumber)
        members.countIfKnown("sigid", satellite.signalIdentifier)
        members.countIfKnown("freqid", satellite.frequency)
        members.countIfKnown("health", satellite.health)
        members.writer.endObject()
    }
}
