// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol

/// The FNV-1a hash of a report's values, in the order that make_expected.py describes.
struct Fingerprint {
    private var value: UInt64 = 0xcbf2_9ce4_8422_2325

    static func of(_ report: GPSDReport) -> (name: String, hash: String) {
        var print = Fingerprint()
        switch report {
        case .position(let report):
            print.add(report)
            return ("TPV", print.text)
        case .sky(let report):
            print.add(report)
            return ("SKY", print.text)
        case .attitude(let report):
            print.add(report)
            return ("ATT", print.text)
        case .other(.gst): return ("GST", print.text)
        case .other(.osc): return ("OSC", print.text)
        case .other(.imu): return ("IMU", print.text)
        default: return ("\(report)", "")
        }
    }

    var text: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    mutating func add(_ report: PositionReport) {
        add(Int64(report.mode.rawValue))
        add(Int64(report.status))
        add(report.time)
        add(
            report.timeError, report.latitude, report.longitude, report.altitudeHAE, report.altitudeMSL,
            report.altitudeUndefined, report.geoidSeparation, report.longitudeError, report.latitudeError,
            report.verticalError, report.horizontalError, report.sphericalError, report.track, report.magneticTrack,
            report.magneticVariation, report.speed, report.climb, report.trackError, report.speedError,
            report.climbError, report.velocityNorth, report.velocityEast, report.velocityDown, report.depth,
            report.correctionAge
        )
        add(Int64(report.correctionStation))
        add(Int64(report.leapSeconds))
    }

    mutating func add(_ report: SkyReport) {
        add(report.time)
        add(report.hdop, report.vdop, report.pdop, report.tdop, report.gdop, report.xdop, report.ydop)
        add(Int64(report.visibleCount))
        add(Int64(report.usedCount))
        add(Int64(report.satellites?.count ?? -1))
        for satellite in report.satellites ?? [] {
            add(Int64(satellite.number))
            add(satellite.elevation, satellite.azimuth, satellite.signal)
            add(Int64(satellite.isUsed ? 1 : 0))
            add(satellite.system.map { Int64($0.rawValue) } ?? -1)
            add(Int64(satellite.systemNumber))
            add(Int64(satellite.signalIdentifier))
            add(Int64(satellite.frequency))
            add(Int64(satellite.health))
        }
    }

    mutating func add(_ report: AttitudeReport) {
        add(report.time)
        add(report.heading, report.magneticHeading, report.pitch, report.roll, report.yaw, report.dip)
        add(report.rateOfTurn)
        for vector in [report.magneticField, report.acceleration, report.rotationRate] {
            add(vector.x, vector.y, vector.z)
        }
    }

    private mutating func add(_ time: WallTime?) { add(time?.nanoseconds ?? Int64.min) }

    private mutating func add(_ values: Double...) {
        for value in values { add(value.isNaN ? 0x7ff8_0000_0000_0000 : Int64(bitPattern: value.bitPattern)) }
    }

    private mutating func add(_ word: Int64) {
        for shift in stride(from: 0, to: 64, by: 8) {
            value = (value ^ UInt64(UInt8(truncatingIfNeeded: word >> Int64(shift)))) &* 0x100_0000_01b3
        }
    }
}
