// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol

/// True if two reports are identical to the last bit. All NaN values are equal.
func isSame(_ left: GPSDReport, _ right: GPSDReport) -> Bool {
    switch (left, right) {
    case (.position(let left), .position(let right)):
        return left.receiver == right.receiver && left.mode == right.mode && left.status == right.status
            && left.time == right.time && left.correctionStation == right.correctionStation
            && left.leapSeconds == right.leapSeconds && left.bits == right.bits
    case (.sky(let left), .sky(let right)):
        return left.receiver == right.receiver && left.time == right.time && left.visibleCount == right.visibleCount
            && left.usedCount == right.usedCount && left.bits == right.bits && isSame(left.satellites, right.satellites)
    case (.attitude(let left), .attitude(let right)):
        return left.receiver == right.receiver && left.time == right.time && left.bits == right.bits
    case (.version(let left), .version(let right)): return left == right
    case (.devices(let left), .devices(let right)):
        return left.count == right.count && zip(left, right).allSatisfy { isSame($0, $1) }
    case (.device(let left), .device(let right)): return isSame(left, right)
    case (.watch(let left), .watch(let right)): return left == right
    case (.error(let left), .error(let right)): return left == right
    case (.other(let left), .other(let right)): return left == right
    case (.malformed(let left), .malformed(let right)): return left == right
    default: return false
    }
}

private func isSame(_ left: ReceiverDescription, _ right: ReceiverDescription) -> Bool {
    var (plainLeft, plainRight) = (left, right)
    (plainLeft.cycle, plainRight.cycle) = (0, 0)
    return plainLeft == plainRight && bits(left.cycle) == bits(right.cycle)
}

private func isSame(_ left: [Satellite]?, _ right: [Satellite]?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return left.count == right.count
        && zip(left, right).allSatisfy { left, right in
            left.number == right.number && bits(left.elevation) == bits(right.elevation)
                && bits(left.azimuth) == bits(right.azimuth) && bits(left.signal) == bits(right.signal)
                && left.isUsed == right.isUsed && left.system == right.system
                && left.systemNumber == right.systemNumber && left.signalIdentifier == right.signalIdentifier
                && left.frequency == right.frequency && left.health == right.health
        }
}

private func bits(_ value: Double) -> UInt64 { value.isNaN ? Double.nan.bitPattern : value.bitPattern }

extension PositionReport {
    fileprivate var bits: [UInt64] {
        let values: [Double] = [
            timeError, latitude, longitude, altitudeHAE, altitudeMSL, altitudeUndefined, geoidSeparation,
            longitudeError,
            latitudeError, verticalError, horizontalError, sphericalError, track, magneticTrack, magneticVariation,
            speed,
            climb, trackError, speedError, climbError, velocityNorth, velocityEast, velocityDown, depth, correctionAge,
        ]
        return values.map { Fuzz.bits($0) }
    }
}

extension SkyReport {
    fileprivate var bits: [UInt64] {
        let values: [Double] = [hdop, vdop, pdop, tdop, gdop, xdop, ydop]
        return values.map { Fuzz.bits($0) }
    }
}

extension AttitudeReport {
    fileprivate var bits: [UInt64] {
        let values: [Double] = [heading, magneticHeading, pitch, roll, yaw, dip, rateOfTurn]
        let axes: [SIMD3<Double>] = [magneticField, acceleration, rotationRate]
        return (values + axes.flatMap { [$0.x, $0.y, $0.z] }).map { Fuzz.bits($0) }
    }
}
