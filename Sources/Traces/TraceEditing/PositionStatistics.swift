// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Geodesy

struct PositionStatistics {
    private static let maximumErrors = 65_536
    private var result = TraceSummary.Positions()
    private var errors: [Double] = []
    private var last: GeodeticCoordinate?
    /// A longitude on the track, and the net number of eastward crossings of the 180° meridian before it.
    private struct Longitude {
        var degrees: Double
        var revolutions: Int

        var total: Double { degrees + 360 * Double(revolutions) }
    }

    private var longitudes: (west: Longitude, east: Longitude)?
    private var revolutions = 0

    mutating func add(_ report: PositionReport) {
        result.count += 1
        if let time = report.time {
            result.firstTime = result.firstTime ?? time
            result.lastTime = time
        }
        guard report.hasFix else { return }
        result.fixCount += 1
        if report.mode == .threeDimensional, !report.altitude.isNaN || !report.altitudeHAE.isNaN {
            result.threeDimensionalCount += 1
        }
        if report.horizontalError >= 0, errors.count < Self.maximumErrors { errors.append(report.horizontalError) }
        let coordinate = GeodeticCoordinate(latitude: report.latitude, longitude: report.longitude)
        // The limits are initially NaN, and every comparison with NaN is false. The conditions are negated so that the
        // first position replaces the initial values.
        if !(result.south <= coordinate.latitude) { result.south = coordinate.latitude }
        if !(result.north >= coordinate.latitude) { result.north = coordinate.latitude }
        add(longitude: coordinate.longitude)
        if let last, last != coordinate { result.distance += Geodesic.distance(from: last, to: coordinate) }
        last = coordinate
    }

    /// Extends the longitude range along the shorter way around the Earth, which may cross the 180° meridian.
    private mutating func add(longitude: Double) {
        if let last {
            if longitude - last.longitude > 180 { revolutions -= 1 }
            if longitude - last.longitude < -180 { revolutions += 1 }
        }
        let coordinate = Longitude(degrees: longitude, revolutions: revolutions)
        var (west, east) = longitudes ?? (coordinate, coordinate)
        if coordinate.total < west.total { west = coordinate }
        if coordinate.total > east.total { east = coordinate }
        longitudes = (west, east)
    }

    /// The statistics, or nil if there are no position reports.
    var positions: TraceSummary.Positions? {
        guard result.count > 0 else { return nil }
        var result = result
        if let (west, east) = longitudes {
            let isRound = east.total - west.total >= 360
            result.west = isRound ? -180 : west.degrees
            result.east = isRound ? 180 : east.degrees
        }
        if !errors.isEmpty { result.medianError = errors.sorted()[errors.count / 2] }
        return result
    }
}
