// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The columns of the positions in a table that an export writes. GPSBabel's format `unicsv` recognizes the names of the
/// quantities that it supports, and no other names.
enum PositionColumns {
    static let all: [(name: String, quantity: CSVQuantity)] = [
        ("time", .fixTime), ("lat", .lat), ("lon", .lon), ("alt_msl", .altMSL), ("hae", .altHAE), ("speed", .speed),
        ("course", .course), ("climb", .climb), ("hacc", .horizontalAccuracy), ("vacc", .verticalAccuracy),
        ("sacc", .speedAccuracy), ("cacc", .courseAccuracy), ("mode", .mode), ("sat", .sats), ("hdop", .hdop),
        ("vdop", .vdop), ("pdop", .pdop),
    ]

    /// Returns true if a table with these columns may have been written by an export. Users may have removed others.
    static func areContained(in columns: [String]) -> Bool {
        ["t", "time", "lat", "lon"].allSatisfy(columns.contains)
    }

    /// Returns the value of a quantity, or NaN if it is unknown. Without a fix, only the mode, the number of satellites
    /// and the dilutions are known.
    static func value(of quantity: CSVQuantity, in epoch: PositionEpochs.Epoch) -> Double {
        let (report, sky) = (epoch.report, epoch.sky)
        switch quantity {
        case .mode: return report.hasFix ? Double(report.mode.rawValue) : 1
        case .sats:
            guard let sky else { return .nan }
            if sky.usedCount >= 0 { return Double(sky.usedCount) }
            return sky.satellites.map { Double($0.count(where: \.isUsed)) } ?? .nan
        case .hdop: return sky?.hdop ?? .nan
        case .vdop: return sky?.vdop ?? .nan
        case .pdop: return sky?.pdop ?? .nan
        case _ where !report.hasFix: return .nan
        case .lat: return report.latitude
        case .lon: return report.longitude
        case .altMSL: return report.altitude
        case .altHAE: return report.altitudeHAE.isNaN ? report.altitudeMSL + report.geoidSeparation : report.altitudeHAE
        case .speed: return report.speed
        case .course: return report.track
        case .climb: return report.climb
        case .horizontalAccuracy:
            guard report.horizontalError.isNaN else { return report.horizontalError }
            let (east, north) = (report.longitudeError, report.latitudeError)
            // Rounded to millimetres, like gpsd's errors.
            return ((east * east + north * north).squareRoot() * 1000).rounded() / 1000
        case .verticalAccuracy: return report.verticalError
        case .speedAccuracy: return report.speedError
        case .courseAccuracy: return report.trackError
        default: return .nan
        }
    }
}

extension CSVColumnMap {
    /// Creates the map of a table that an export wrote, from the names of its columns. Returns nil for other tables.
    init?(exportedColumns names: [String]) {
        guard PositionColumns.areContained(in: names) else { return nil }
        var columns: [CSVQuantity: Column] = [.time: Column(name: "t", unit: CSVDimension.time.units.first)]
        let motion = SensorKind.allCases.flatMap { zip($0.csvColumns, $0.csvQuantities) }
        for (name, quantity) in PositionColumns.all + motion where names.contains(name) {
            let units = quantity.dimension?.units
            columns[quantity] = Column(name: name, unit: quantity == .fixTime ? units?.last : units?.first)
        }
        self.init(exported: columns)
    }
}
