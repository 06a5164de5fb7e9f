// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

extension GPSDEncoder {
    /// A TPV. Coordinates and what belongs to them are written for fixes only, as gpsd has it.
    public static func line(_ report: PositionReport) -> [UInt8] {
        var members = Members("TPV")
        members.text("device", report.receiver)
        if report.status >= 2 { members.count("status", Int32(report.status)) }
        members.count("mode", Int32(report.mode.rawValue))
        members.time("time", report.time)
        members.countIfKnown("leapseconds", report.leapSeconds)
        members.number("ept", report.timeError, decimals: 3)
        guard report.hasFix else { return members.line() }
        members.number("lat", report.latitude, decimals: 9)
        members.number("lon", report.longitude, decimals: 9)
        members.number("altHAE", report.altitudeHAE, decimals: 4)
        members.number("altMSL", report.altitudeMSL, decimals: 4)
        members.number("alt", report.altitudeUndefined, decimals: 4)
        members.number("epx", report.longitudeError, decimals: 3)
        members.number("epy", report.latitudeError, decimals: 3)
        members.number("epv", report.verticalError, decimals: 3)
        members.number("track", report.track, decimals: 4)
        members.number("magtrack", report.magneticTrack, decimals: 4)
        members.number("magvar", report.magneticVariation, decimals: 1)
        members.number("speed", report.speed, decimals: 3)
        members.number("climb", report.climb, decimals: 3)
        members.number("epd", report.trackError, decimals: 4)
        members.number("eps", report.speedError, decimals: 2)
        members.number("epc", report.climbError, decimals: 2)
        members.number("velN", report.velocityNorth, decimals: 3)
        members.number("velE", report.velocityEast, decimals: 3)
        members.number("velD", report.velocityDown, decimals: 3)
        members.number("geoidSep", report.geoidSeparation, decimals: 3)
        members.number("eph", report.horizontalError, decimals: 3)
        members.number("sep", report.sphericalError, decimals: 3)
        members.number("depth", report.depth, decimals: 3)
        members.number("dgpsAge", report.correctionAge, decimals: 1)
        members.countIfKnown("dgpsSta", report.correctionStation)
        return members.line()
    }
}
