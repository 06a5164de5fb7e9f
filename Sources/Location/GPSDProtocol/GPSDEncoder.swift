// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes

/// Encodes reports in gpsd's format: compact JSON with gpsd's key order and number of decimal places. Each function
/// returns one line without a line terminator. Unknown values, non-finite numbers and magnitudes of 1e15 or more are
/// omitted.
package enum GPSDEncoder {
    struct Members {
        var writer = JSONWriter()

        init(_ name: StaticString) {
            writer.beginObject()
            writer.member("class", name.description)
        }

        mutating func text(_ key: StaticString, _ value: String) { writer.memberUnlessEmpty(key, value) }

        mutating func time(_ key: StaticString, _ value: WallTime?, decimals: Int = 3) {
            writer.memberIfPresent(key, value.map { CivilDate($0).iso8601(decimals: decimals) })
        }

        mutating func number(_ key: StaticString, _ value: Double, decimals: Int) {
            guard value.magnitude < FixedDecimal.limit else { return }
            writer.key(key)
            writer.fixed(value, decimals: decimals)
        }

        mutating func axes(_ x: StaticString, _ y: StaticString, _ z: StaticString, _ value: SIMD3<Double>) {
            for (key, number) in [(x, value.x), (y, value.y), (z, value.z)] { self.number(key, number, decimals: 4) }
        }

        mutating func count(_ key: StaticString, _ value: Int32) { writer.member(key, value) }

        /// Writes nothing if the value is negative, because negative numbers represent unknown values.
        mutating func countIfKnown(_ key: StaticString, _ value: Int32) { if value >= 0 { count(key, value) } }

        mutating func flag(_ key: StaticString, _ value: Bool) { writer.member(key, value) }

        consuming func finish() -> [UInt8] {
            writer.endObject()
            return writer.bytes
        }
    }

    /// Encodes a TPV object. As in gpsd, a report without a fix has no coordinates.
    package static func encode(_ report: PositionReport, timeDecimals: Int = 3) -> [UInt8] {
        var members = Members("TPV")
        members.text("device", report.receiver)
        if report.status >= 2 { members.count("status", Int32(report.status)) }
        members.count("mode", Int32(report.mode.rawValue))
        members.time("time", report.time, decimals: timeDecimals)
        members.countIfKnown("leapseconds", report.leapSeconds)
        members.number("ept", report.timeError, decimals: 3)
        guard report.hasFix else { return members.finish() }
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
        return members.finish()
    }

    package static func encode(_ report: AttitudeReport) -> [UInt8] {
        var members = Members("ATT")
        members.text("device", report.receiver)
        members.time("time", report.time)
        members.number("heading", report.heading, decimals: 4)
        members.number("mheading", report.magneticHeading, decimals: 4)
        members.number("pitch", report.pitch, decimals: 4)
        members.number("yaw", report.yaw, decimals: 4)
        members.number("roll", report.roll, decimals: 4)
        members.number("rot", report.rateOfTurn, decimals: 4)
        members.number("dip", report.dip, decimals: 4)
        members.axes("mag_x", "mag_y", "mag_z", report.magneticField)
        members.axes("acc_x", "acc_y", "acc_z", report.acceleration)
        members.axes("gyro_x", "gyro_y", "gyro_z", report.rotationRate)
        return members.finish()
    }

    package static func encode(_ report: SkyReport) -> [UInt8] {
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
        return members.finish()
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
