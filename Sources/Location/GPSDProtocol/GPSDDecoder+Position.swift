// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes

extension GPSDDecoder {
    /// The members of a TPV.
    mutating func readPosition(
        _ reader: inout JSONReader,
        _ report: inout PositionReport
    ) throws(JSONError) {
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
            default:
                if key.equals("leapseconds") {
                    report.leapSeconds = try reader.count()
                } else {
                    try reader.skipValue()
                }
            }
        }
    }
}
