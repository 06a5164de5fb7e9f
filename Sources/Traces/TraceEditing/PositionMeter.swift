// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Geodesy

/// Statistics of position reports.
struct PositionMeter {
    private static let maximumErrors = 65_536

    private var found = TraceSummary.Positions()
    private var errors: [Double] = []
    private var last: GeodeticCoordinate?
    /// A longitude, and the number of revolutions around the Earth up to it.
    private struct Longitude {
        var degrees: Double
        var turns: Int

        var total: Double { degrees + 360 * Double(turns) }
    }

    private var longitudes: (west: Longitude, east: Longitude)?
    private var turns = 0

    mutating func take(_ report: PositionReport) {
        found.count += 1
        if let time = report.time {
            found.firstTime = found.firstTime ?? time
            found.lastTime = time
        }
        guard report.hasFix else { return }
        found.fixCount += 1
        if report.mode == .threeDimensional, !report.altitude.isNaN || !report.altitudeHAE.isNaN {
            found.threeDimensionalCount += 1
        }
        if report.horizontalError >= 0, errors.count < Self.maximumErrors { errors.append(report.horizontalError) }
        let here = GeodeticCoordinate(latitude: report.latitude, longitude: report.longitude)
        // The negated comparison replaces an initial NaN.
        if !(found.south <= here.latitude) { found.south = here.latitude }
        if !(found.north >= here.latitude) { found.north = here.latitude }
        note(longitude: here.longitude)
        if let last, last != here { found.distance += Geodesic.distance(from: last, to: here) }
        last = here
    }

    /// Extends the range of longitudes. The shorter way between two positions counts, which may cross the 180°
    /// meridian.
    private mutating func note(longitude: Double) {
        if let last {
            if longitude - last.longitude > 180 { turns -= 1 }
            if longitude - last.longitude < -180 { turns += 1 }
        }
        let here = Longitude(degrees: longitude, turns: turns)
        var (west, east) = longitudes ?? (here, here)
        if here.total < west.total { west = here }
        if here.total > east.total { east = here }
        longitudes = (west, east)
    }

    /// The statistics; nil if there was no position report.
    var positions: TraceSummary.Positions? {
        guard found.count > 0 else { return nil }
        var result = found
        if let (west, east) = longitudes {
            let isRound = east.total - west.total >= 360
            result.west = isRound ? -180 : west.degrees
            result.east = isRound ? 180 : east.degrees
        }
        if !errors.isEmpty { result.medianError = errors.sorted()[errors.count / 2] }
        return result
    }
}
