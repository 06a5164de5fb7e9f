// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

extension GPSDDecoder {
    /// The members of a TPV.
    mutating func readPosition(_ reader: inout JSONReader, _ report: inout PositionReport) throws(JSONError) {
        report = PositionReport()
        while let key = try reader.nextKey() {
            switch key.word {
            case JSONText.word("class"): try noteClass(&reader)
            case JSONText.word("device"): report.receiver = try readReceiver(&reader)
            case JSONText.word("mode"): report.mode = try reader.fixMode()
            case JSONText.word("status"): report.status = try reader.smallNumber()
            case JSONText.word("time"): report.time = try reader.wallTime()
            case JSONText.word("ept"): report.timeError = try reader.quantity()
            case JSONText.word("lat"): report.latitude = try reader.quantity()
            case JSONText.word("lon"): report.longitude = try reader.quantity()
            case JSONText.word("altHAE"): report.altitudeHAE = try reader.quantity()
            case JSONText.word("altMSL"): report.altitudeMSL = try reader.quantity()
            case JSONText.word("alt"): report.altitudeUndefined = try reader.quantity()
            case JSONText.word("geoidSep"): report.geoidSeparation = try reader.quantity()
            case JSONText.word("epx"): report.longitudeError = try reader.quantity()
            case JSONText.word("epy"): report.latitudeError = try reader.quantity()
            case JSONText.word("epv"): report.verticalError = try reader.quantity()
            case JSONText.word("eph"): report.horizontalError = try reader.quantity()
            case JSONText.word("sep"): report.sphericalError = try reader.quantity()
            case JSONText.word("track"): report.track = try reader.quantity()
            case JSONText.word("magtrack"): report.magneticTrack = try reader.quantity()
            case JSONText.word("magvar"): report.magneticVariation = try reader.quantity()
            case JSONText.word("speed"): report.speed = try reader.quantity()
            case JSONText.word("climb"): report.climb = try reader.quantity()
            case JSONText.word("epd"): report.trackError = try reader.quantity()
            case JSONText.word("eps"): report.speedError = try reader.quantity()
            case JSONText.word("epc"): report.climbError = try reader.quantity()
            case JSONText.word("velN"): report.velocityNorth = try reader.quantity()
            case JSONText.word("velE"): report.velocityEast = try reader.quantity()
            case JSONText.word("velD"): report.velocityDown = try reader.quantity()
            case JSONText.word("depth"): report.depth = try reader.quantity()
            case JSONText.word("dgpsAge"): report.correctionAge = try reader.quantity()
            case JSONText.word("dgpsSta"): report.correctionStation = try reader.count()
            case 0 where key.equals("leapseconds"): report.leapSeconds = try reader.count()
            default: try reader.skipValue()
            }
        }
        impossibleValues = report.refuseImpossibleValues()
    }

    /// The members of an ATT.
    mutating func readAttitude(_ reader: inout JSONReader) throws(JSONError) -> GPSDReport {
        var report = AttitudeReport()
        while let key = try reader.nextKey() {
            switch key.word {
            case JSONText.word("class"): try noteClass(&reader)
            case JSONText.word("device"): report.receiver = try readReceiver(&reader)
            case JSONText.word("time"): report.time = try reader.wallTime()
            case JSONText.word("heading"): report.heading = try reader.quantity()
            case JSONText.word("mheading"): report.magneticHeading = try reader.quantity()
            case JSONText.word("pitch"): report.pitch = try reader.quantity()
            case JSONText.word("roll"): report.roll = try reader.quantity()
            case JSONText.word("yaw"): report.yaw = try reader.quantity()
            case JSONText.word("dip"): report.dip = try reader.quantity()
            case JSONText.word("rot"): report.rateOfTurn = try reader.quantity()
            case JSONText.word("mag_x"): report.magneticField.x = try reader.quantity()
            case JSONText.word("mag_y"): report.magneticField.y = try reader.quantity()
            case JSONText.word("mag_z"): report.magneticField.z = try reader.quantity()
            case JSONText.word("acc_x"): report.acceleration.x = try reader.quantity()
            case JSONText.word("acc_y"): report.acceleration.y = try reader.quantity()
            case JSONText.word("acc_z"): report.acceleration.z = try reader.quantity()
            case JSONText.word("gyro_x"): report.rotationRate.x = try reader.quantity()
            case JSONText.word("gyro_y"): report.rotationRate.y = try reader.quantity()
            case JSONText.word("gyro_z"): report.rotationRate.z = try reader.quantity()
            default: try reader.skipValue()
            }
        }
        impossibleValues = report.refuseImpossibleValues()
        return .attitude(report)
    }

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
            case 0 where key.equals("satellites"): hasSatellites = try readSatellites(&reader)
            default: try reader.skipValue()
            }
        }
        impossibleValues = report.refuseImpossibleValues()
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
