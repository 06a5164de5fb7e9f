// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

// Reads the frequent reports: TPV, ATT and SKY. `ReportKeys` finds keys quickly by predicting which key comes next.
extension GPSDDecoder {
    mutating func readPosition(_ reader: inout JSONReader, _ report: inout PositionReport) throws(JSONError) {
        let storage = report.emptyStorage()
        positionKeys.beginObject()
        while let key = try positionKeys.next(&reader) {
            switch key {
            case .kind: try readClass(&reader)
            case .device: storage.values.receiver = try readReceiver(&reader)
            case .mode: storage.values.mode = try reader.fixMode()
            case .status: storage.values.status = try reader.smallNumber()
            case .time: storage.values.time = try reader.wallTime()
            case .ept: storage.values.timeError = try positionKeys.quantity(&reader)
            case .lat: storage.values.latitude = try positionKeys.quantity(&reader)
            case .lon: storage.values.longitude = try positionKeys.quantity(&reader)
            case .altHAE: storage.values.altitudeHAE = try positionKeys.quantity(&reader)
            case .altMSL: storage.values.altitudeMSL = try positionKeys.quantity(&reader)
            case .alt: storage.values.altitudeUndefined = try positionKeys.quantity(&reader)
            case .geoidSep: storage.values.geoidSeparation = try positionKeys.quantity(&reader)
            case .epx: storage.values.longitudeError = try positionKeys.quantity(&reader)
            case .epy: storage.values.latitudeError = try positionKeys.quantity(&reader)
            case .epv: storage.values.verticalError = try positionKeys.quantity(&reader)
            case .eph: storage.values.horizontalError = try positionKeys.quantity(&reader)
            case .sep: storage.values.sphericalError = try positionKeys.quantity(&reader)
            case .track: storage.values.track = try positionKeys.quantity(&reader)
            case .magtrack: storage.values.magneticTrack = try positionKeys.quantity(&reader)
            case .magvar: storage.values.magneticVariation = try positionKeys.quantity(&reader)
            case .speed: storage.values.speed = try positionKeys.quantity(&reader)
            case .climb: storage.values.climb = try positionKeys.quantity(&reader)
            case .epd: storage.values.trackError = try positionKeys.quantity(&reader)
            case .eps: storage.values.speedError = try positionKeys.quantity(&reader)
            case .epc: storage.values.climbError = try positionKeys.quantity(&reader)
            case .velN: storage.values.velocityNorth = try positionKeys.quantity(&reader)
            case .velE: storage.values.velocityEast = try positionKeys.quantity(&reader)
            case .velD: storage.values.velocityDown = try positionKeys.quantity(&reader)
            case .depth: storage.values.depth = try positionKeys.quantity(&reader)
            case .dgpsAge: storage.values.correctionAge = try positionKeys.quantity(&reader)
            case .dgpsSta: storage.values.correctionStation = try reader.count()
            case .leapseconds: storage.values.leapSeconds = try reader.count()
            case .ecefx, .ecefy, .ecefz, .ecefvx, .ecefvy, .ecefvz, .ecefpAcc, .ecefvAcc, .other: try reader.skipValue()
            }
        }
        outOfRangeCount = storage.values.discardOutOfRangeValues()
    }

    mutating func readAttitude(_ reader: inout JSONReader) throws(JSONError) -> GPSDReport {
        var report = AttitudeReport()
        attitudeKeys.beginObject()
        while let key = try attitudeKeys.next(&reader) {
            switch key {
            case .kind: try readClass(&reader)
            case .device: report.receiver = try readReceiver(&reader)
            case .time: report.time = try reader.wallTime()
            case .heading: report.heading = try reader.quantity()
            case .mheading: report.magneticHeading = try reader.quantity()
            case .pitch: report.pitch = try reader.quantity()
            case .roll: report.roll = try reader.quantity()
            case .yaw: report.yaw = try reader.quantity()
            case .dip: report.dip = try reader.quantity()
            case .rot: report.rateOfTurn = try reader.quantity()
            case .magneticX: report.magneticField.x = try reader.quantity()
            case .magneticY: report.magneticField.y = try reader.quantity()
            case .magneticZ: report.magneticField.z = try reader.quantity()
            case .accelerationX: report.acceleration.x = try reader.quantity()
            case .accelerationY: report.acceleration.y = try reader.quantity()
            case .accelerationZ: report.acceleration.z = try reader.quantity()
            case .rotationX: report.rotationRate.x = try reader.quantity()
            case .rotationY: report.rotationRate.y = try reader.quantity()
            case .rotationZ: report.rotationRate.z = try reader.quantity()
            case .other: try reader.skipValue()
            }
        }
        outOfRangeCount = report.discardOutOfRangeValues()
        return .attitude(report)
    }

    mutating func readSky(_ reader: inout JSONReader) throws(JSONError) -> GPSDReport {
        var report = SkyReport()
        var hasSatellites = false
        skyKeys.beginObject()
        while let key = try skyKeys.next(&reader) {
            switch key {
            case .kind: try readClass(&reader)
            case .device: report.receiver = try readReceiver(&reader)
            case .time: report.time = try reader.wallTime()
            case .hdop: report.hdop = try reader.quantity()
            case .vdop: report.vdop = try reader.quantity()
            case .pdop: report.pdop = try reader.quantity()
            case .tdop: report.tdop = try reader.quantity()
            case .gdop: report.gdop = try reader.quantity()
            case .xdop: report.xdop = try reader.quantity()
            case .ydop: report.ydop = try reader.quantity()
            case .nSat: report.visibleCount = try reader.count()
            case .uSat: report.usedCount = try reader.count()
            case .satellites: hasSatellites = try readSatellites(&reader)
            case .other: try reader.skipValue()
            }
        }
        outOfRangeCount = report.discardOutOfRangeValues()
        if hasSatellites { report.satellites = satellites.withUnsafeBufferPointer { [Satellite]($0) } }
        return .sky(report)
    }

    private mutating func readSatellites(_ reader: inout JSONReader) throws(JSONError) -> Bool {
        satellites.removeAll(keepingCapacity: true)
        guard try reader.beginArrayIfPresent() else { return false }
        while try reader.nextElement() {
            let kind = try reader.peekKind()
            if kind == .object, satellites.count < Self.maximumSatellites {
                satellites.append(try readSatellite(&reader))
            } else {
                if kind != .object { reader.recordMismatch(at: reader.offset) }
                try reader.skipValue()
            }
        }
        return true
    }

    private mutating func readSatellite(_ reader: inout JSONReader) throws(JSONError) -> Satellite {
        var satellite = Satellite()
        try reader.beginObject()
        satelliteKeys.beginObject()
        while let key = try satelliteKeys.next(&reader) {
            switch key {
            case .number: satellite.number = try reader.count(absent: 0)
            case .el: satellite.elevation = try reader.quantity()
            case .az: satellite.azimuth = try reader.quantity()
            case .ss: satellite.signal = try reader.quantity()
            case .used: satellite.isUsed = try reader.boolIfPresent() ?? false
            case .gnssid:
                satellite.system = Satellite.System(rawValue: try reader.smallNumber(absent: .max))
            case .svid: satellite.systemNumber = try reader.count()
            case .sigid: satellite.signalIdentifier = try reader.count()
            case .freqid: satellite.frequency = try reader.count()
            case .health: satellite.health = try reader.count()
            case .other: try reader.skipValue()
            }
        }
        return satellite
    }
}
