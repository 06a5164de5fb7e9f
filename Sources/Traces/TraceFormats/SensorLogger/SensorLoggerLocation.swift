// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Reads a file of Sensor Logger's positions. Columns are found by name and may be missing, but for the coordinates.
struct SensorLoggerLocation {
    private var reader: CSVReader
    private let time: SensorLoggerTime
    private let latitude: Int
    private let longitude: Int
    private let isWatch: Bool
    private let isIOS: Bool
    /// Rows without coordinates in range.
    private(set) var outOfRange = 0

    private let altitude: Int?
    private let altitudeMSL: Int?
    private let speed: Int?
    private let bearing: Int?
    private let horizontalAccuracy: Int?
    private let verticalAccuracy: Int?
    private let speedAccuracy: Int?
    private let bearingAccuracy: Int?

    /// Reads the header.
    ///
    /// - Parameters:
    ///   - isWatch: whether `altitude` is above mean sea level, as the watch writes it, and not above the ellipsoid.
    ///   - isIOS: whether an accuracy below zero says that the numbers it is of do not count.
    ///   - start: nanoseconds since 1970 that `seconds_elapsed` counts from, where there is no `time`.
    init(
        _ bytes: UnsafeRawBufferPointer, name: String, isWatch: Bool, isIOS: Bool, start: Int64
    ) throws(DeviceError) {
        reader = try CSVReader(bytes, name: name)
        try reader.readHeader()
        time = try SensorLoggerTime(reader, start: start)
        guard let latitude = reader.column("latitude"), let longitude = reader.column("longitude") else {
            throw reader.place(nil).error(
                "the columns latitude and longitude are not there. Is it a file of Sensor Logger?")
        }
        self.latitude = latitude
        self.longitude = longitude
        self.isWatch = isWatch
        self.isIOS = isIOS
        altitude = reader.column("altitude")
        altitudeMSL = reader.column("altitudeabovemeansealevel")
        speed = reader.column("speed")
        bearing = reader.column("bearing")
        horizontalAccuracy = reader.column("horizontalaccuracy")
        verticalAccuracy = reader.column("verticalaccuracy")
        speedAccuracy = reader.column("speedaccuracy")
        bearingAccuracy = reader.column("bearingaccuracy")
    }

    /// The next position and its time in nanoseconds since 1970; nil at the end.
    mutating func next() throws(DeviceError) -> (time: Int64, report: PositionReport)? {
        while try reader.next() {
            if reader.isOpenEnded, reader.cells.count < reader.header.count { return nil }
            var report = PositionReport()
            report.latitude = try number(latitude)
            report.longitude = try number(longitude)
            guard report.latitude.magnitude <= 90, report.longitude.magnitude <= 180 else {
                outOfRange += 1
                continue
            }
            let time = try time.of(reader)
            // Seconds since nobody knows when are no civil time.
            report.time = time >= SensorLoggerTime.earliest ? WallTime(nanoseconds: time) : nil
            try readAltitude(&report)
            report.speed = try known(speed)
            let direction = try known(bearing)
            report.track = direction <= 360 ? direction : .nan
            report.speedError = try accuracy(speedAccuracy)
            report.trackError = try accuracy(bearingAccuracy)
            report.horizontalError = try accuracy(horizontalAccuracy)
            if isIOS, try number(horizontalAccuracy) < 0 {
                report.mode = .none
            } else {
                report.mode =
                    report.altitudeHAE.isNaN && report.altitudeMSL.isNaN ? .twoDimensional : .threeDimensional
            }
            return (time, report)
        }
        return nil
    }

    /// True when a row says a speed or a course. Reads up to the first that does.
    mutating func tellsMotion() throws(DeviceError) -> Bool {
        while let (_, report) = try next() {
            if !report.speed.isNaN || !report.track.isNaN { return true }
        }
        return false
    }

    private func readAltitude(_ report: inout PositionReport) throws(DeviceError) {
        // On iOS the altitude counts only where its accuracy is above zero.
        let limit = try number(verticalAccuracy)
        if isIOS, limit <= 0 { return }
        report.verticalError = try accuracy(verticalAccuracy)
        report.altitudeMSL = try number(isWatch ? altitude : altitudeMSL)
        if isWatch, report.altitudeMSL.isNaN { report.altitudeMSL = try number(altitudeMSL) }
        if !isWatch { report.altitudeHAE = try number(altitude) }
        report.geoidSeparation = report.altitudeHAE - report.altitudeMSL
    }

    private func number(_ column: Int?) throws(DeviceError) -> Double {
        guard let column else { return .nan }
        return try reader.number(column) ?? .nan
    }

    /// A number that is not below zero, which stands for what is not known.
    private func known(_ column: Int?) throws(DeviceError) -> Double {
        let value = try number(column)
        return value >= 0 ? value : .nan
    }

    /// An accuracy. Android writes 0 where it knows none.
    private func accuracy(_ column: Int?) throws(DeviceError) -> Double {
        let value = try number(column)
        return value > 0 ? value : .nan
    }
}
