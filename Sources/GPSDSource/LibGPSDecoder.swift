// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

#if LibGPS
import CLibGPS
import DeviceCore
import GPSDProtocol

/// Reads gpsd's lines with libgps.
///
/// Lines that libgps mishandles never reach it: it hangs for ever on a DEVICES line with five entries, loses a sky of
/// more satellites than its array holds, and drops all that follows a nested value it does not know. Those, and every
/// class other than TPV, SKY and ATT, are read by this package's own decoder.
struct LibGPSDecoder: ReportDecoder {
    private let parser: Parser
    private var native = GPSDDecoder()
    private var lastPath = ""

    /// Owns libgps's memory.
    private final class Parser {
        let pointer: OpaquePointer

        init?() {
            guard let pointer = dsgps_parser_create() else { return nil }
            self.pointer = pointer
        }

        deinit {
            dsgps_parser_destroy(pointer)
        }
    }

    init() throws(DeviceError) {
        guard let parser = Parser() else {
            throw DeviceError(.busy, "There is no memory left for libgps.")
        }
        self.parser = parser
    }

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

    /// The path that the last line names, as one String for as long as it stays the same.
    private mutating func receiver() -> String {
        guard let path = dsgps_device(parser.pointer) else { return "" }
        let same = lastPath.utf8.withContiguousStorageIfAvailable { bytes -> Bool in
            for (index, byte) in bytes.enumerated() where UInt8(bitPattern: path[index]) != byte { return false }
            return path[bytes.count] == 0
        }
        if same != true { lastPath = String(cString: path) }
        return lastPath
    }

    private func report(_ sky: dsgps_sky, receiver: String) -> SkyReport {
        var report = SkyReport()
        report.receiver = receiver
        report.time = WallTime(sky.time_seconds, sky.time_nanoseconds, isPresent: sky.has_time)
        report.hdop = sky.hdop
        report.vdop = sky.vdop
        report.pdop = sky.pdop
        report.tdop = sky.tdop
        report.gdop = sky.gdop
        report.xdop = sky.xdop
        report.ydop = sky.ydop
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
    /// The time of a libgps report; nil when it has none or one out of range.
    fileprivate init?(_ seconds: Int64, _ nanoseconds: Int32, isPresent: Bool) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard isPresent, !overflow else { return nil }
        self.init(nanoseconds: product.addingSaturated(Int64(nanoseconds)))
    }
}

extension PositionReport {
    fileprivate init(_ report: dsgps_tpv, receiver: String) {
        self.init()
        self.receiver = receiver
        mode = FixMode(rawValue: UInt8(clamping: report.mode)) ?? .unknown
        status = UInt8(clamping: report.status)
        time = WallTime(report.time_seconds, report.time_nanoseconds, isPresent: report.has_time)
        timeError = report.ept
        latitude = report.latitude
        longitude = report.longitude
        altitudeHAE = report.altitude_hae
        altitudeMSL = report.altitude_msl
        altitudeUndefined = report.altitude
        geoidSeparation = report.geoid_separation
        longitudeError = report.epx
        latitudeError = report.epy
        verticalError = report.epv
        horizontalError = report.eph
        sphericalError = report.sep
        track = report.track
        magneticTrack = report.magnetic_track
        magneticVariation = report.magnetic_variation
        speed = report.speed
        climb = report.climb
        trackError = report.epd
        speedError = report.eps
        climbError = report.epc
        velocityNorth = report.velocity_north
        velocityEast = report.velocity_east
        velocityDown = report.velocity_down
        depth = report.depth
        correctionAge = report.dgps_age
        correctionStation = report.dgps_station
        leapSeconds = report.leap_seconds == 0 ? -1 : report.leap_seconds
    }
}

extension Satellite {
    fileprivate init(_ satellite: dsgps_satellite) {
        self.init()
        number = satellite.prn
        elevation = satellite.elevation
        azimuth = satellite.azimuth
        signal = satellite.ss
        isUsed = satellite.used
        // Without a number within the system, libgps's zeros mean nothing.
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
        heading = report.heading
        magneticHeading = report.magnetic_heading
        pitch = report.pitch
        roll = report.roll
        yaw = report.yaw
        dip = report.dip
        magneticField = SIMD3(report.mag_x, report.mag_y, report.mag_z)
        acceleration = SIMD3(report.acc_x, report.acc_y, report.acc_z)
        rotationRate = SIMD3(report.gyro_x, report.gyro_y, report.gyro_z)
    }
}
#endif
