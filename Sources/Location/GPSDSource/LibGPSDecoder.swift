// SPDX-License-Identifier: Apache-2.0

#if LibGPS
import CLibGPS
import DeviceCore
import GPSDProtocol

/// Decodes TPV, SKY and ATT lines with libgps. `GPSDDecoder` decodes all other lines, as well as those that libgps
/// handles incorrectly: libgps loops endlessly on a DEVICES line with five entries, drops a SKY report with more
/// satellites than its array can hold, and drops the remainder of a line after an unknown nested value.
struct LibGPSDecoder: ReportDecoder {
    private let parser: Parser
    private var native = GPSDDecoder()
    private var lastPath = ""

    private final class Parser {
        let pointer: OpaquePointer

        init() throws(DeviceError) {
            guard let pointer = dsgps_parser_create() else {
                throw DeviceError(.busy, "There is no memory left for libgps.")
            }
            self.pointer = pointer
        }

        deinit { dsgps_parser_destroy(pointer) }
    }

    /// The API version of libgps at build time: the major version times 100 plus the minor version.
    static var apiVersion: Int32 { dsgps_api_version() }

    init() throws(DeviceError) { parser = try Parser() }

    mutating func decode(_ line: UnsafeRawBufferPointer, position: inout PositionReport) -> GPSDReport? {
        let kind = dsgps_parse(parser.pointer, line.baseAddress, line.count)
        switch kind {
        case DSGPS_TPV:
            var report = dsgps_tpv()
            guard dsgps_get_tpv(parser.pointer, &report) else { break }
            position = PositionReport(report, receiver: receiver())
            return nil
        case DSGPS_SKY:
            var sky = dsgps_sky()
            guard dsgps_get_sky(parser.pointer, &sky) else { break }
            return .sky(report(sky, receiver: receiver()))
        case DSGPS_ATT:
            var attitude = dsgps_attitude()
            guard dsgps_get_attitude(parser.pointer, &attitude) else { break }
            return .attitude(AttitudeReport(attitude, receiver: receiver()))
        default: break
        }
        return native.decode(line, position: &position)
    }

    /// Returns the receiver path in the last line. Reuses the previous string if the path has not changed.
    private mutating func receiver() -> String {
        guard let path = dsgps_device(parser.pointer) else { return "" }
        let isSame = lastPath.utf8.withContiguousStorageIfAvailable { bytes -> Bool in
            for (index, byte) in bytes.enumerated() where UInt8(bitPattern: path[index]) != byte { return false }
            return path[bytes.count] == 0
        }
        if isSame != true { lastPath = String(cString: path) }
        return lastPath
    }

    private func report(_ sky: dsgps_sky, receiver: String) -> SkyReport {
        var report = SkyReport()
        report.receiver = receiver
        report.time = WallTime(sky.time_seconds, sky.time_nanoseconds, isPresent: sky.has_time)
        report.hdop = sky.hdop.nanIfInfinite
        report.vdop = sky.vdop.nanIfInfinite
        report.pdop = sky.pdop.nanIfInfinite
        report.tdop = sky.tdop.nanIfInfinite
        report.gdop = sky.gdop.nanIfInfinite
        report.xdop = sky.xdop.nanIfInfinite
        report.ydop = sky.ydop.nanIfInfinite
        report.discardOutOfRangeValues()
        guard sky.has_satellites else { return report }
        report.visibleCount = sky.satellites_visible
        report.usedCount = sky.satellites_used
        var satellites: [Satellite] = []
        satellites.reserveCapacity(Int(max(0, sky.satellites_visible)))
        var satellite = dsgps_satellite()
        for index in 0..<max(0, sky.satellites_visible)
        where dsgps_get_satellite(parser.pointer, index, &satellite) {
            satellites.append(Satellite(satellite))
        }
        report.satellites = satellites
        return report
    }
}

extension WallTime {
    fileprivate init?(_ seconds: Int64, _ nanoseconds: Int32, isPresent: Bool) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard isPresent, !overflow else { return nil }
        self.init(nanoseconds: product.addingSaturated(Int64(nanoseconds)))
    }
}

extension Double {
    fileprivate var nanIfInfinite: Double { isFinite ? self : .nan }
}

extension PositionReport {
    fileprivate init(_ report: dsgps_tpv, receiver: String) {
        self.init()
        self.receiver = receiver
        mode = FixMode(rawValue: UInt8(clamping: report.mode)) ?? .unknown
        status = UInt8(clamping: report.status)
        time = WallTime(report.time_seconds, report.time_nanoseconds, isPresent: report.has_time)
        timeError = report.ept.nanIfInfinite
        latitude = report.latitude.nanIfInfinite
        longitude = report.longitude.nanIfInfinite
        altitudeHAE = report.altitude_hae.nanIfInfinite
        altitudeMSL = report.altitude_msl.nanIfInfinite
        altitudeUndefined = report.altitude.nanIfInfinite
        geoidSeparation = report.geoid_separation.nanIfInfinite
        longitudeError = report.epx.nanIfInfinite
        latitudeError = report.epy.nanIfInfinite
        verticalError = report.epv.nanIfInfinite
        horizontalError = report.eph.nanIfInfinite
        sphericalError = report.sep.nanIfInfinite
        track = report.track.nanIfInfinite
        magneticTrack = report.magnetic_track.nanIfInfinite
        magneticVariation = report.magnetic_variation.nanIfInfinite
        speed = report.speed.nanIfInfinite
        climb = report.climb.nanIfInfinite
        trackError = report.epd.nanIfInfinite
        speedError = report.eps.nanIfInfinite
        climbError = report.epc.nanIfInfinite
        velocityNorth = report.velocity_north.nanIfInfinite
        velocityEast = report.velocity_east.nanIfInfinite
        velocityDown = report.velocity_down.nanIfInfinite
        depth = report.depth.nanIfInfinite
        correctionAge = report.dgps_age.nanIfInfinite
        correctionStation = report.dgps_station
        // libgps leaves unknown leap seconds at 0.
        leapSeconds = report.leap_seconds == 0 ? -1 : report.leap_seconds
        discardOutOfRangeValues()
    }
}

extension Satellite {
    fileprivate init(_ satellite: dsgps_satellite) {
        self.init()
        number = satellite.prn
        elevation = satellite.elevation.nanIfInfinite
        azimuth = satellite.azimuth.nanIfInfinite
        signal = satellite.ss.nanIfInfinite
        isUsed = satellite.used
        // If the satellite's number within its system is 0, libgps has not set the system and signal fields.
        if satellite.svid != 0 {
            system = System(rawValue: UInt8(clamping: satellite.gnssid))
            systemNumber = satellite.svid
            signalIdentifier = satellite.sigid
        }
        frequency = satellite.freqid
        health = satellite.health
    }
}

extension AttitudeReport {
    fileprivate init(_ report: dsgps_attitude, receiver: String) {
        self.init()
        self.receiver = receiver
        time = WallTime(report.time_seconds, report.time_nanoseconds, isPresent: report.has_time)
        heading = report.heading.nanIfInfinite
        magneticHeading = report.magnetic_heading.nanIfInfinite
        pitch = report.pitch.nanIfInfinite
        roll = report.roll.nanIfInfinite
        yaw = report.yaw.nanIfInfinite
        dip = report.dip.nanIfInfinite
        magneticField = SIMD3(report.mag_x.nanIfInfinite, report.mag_y.nanIfInfinite, report.mag_z.nanIfInfinite)
        acceleration = SIMD3(report.acc_x.nanIfInfinite, report.acc_y.nanIfInfinite, report.acc_z.nanIfInfinite)
        rotationRate = SIMD3(report.gyro_x.nanIfInfinite, report.gyro_y.nanIfInfinite, report.gyro_z.nanIfInfinite)
        discardOutOfRangeValues()
    }
}
#endif
