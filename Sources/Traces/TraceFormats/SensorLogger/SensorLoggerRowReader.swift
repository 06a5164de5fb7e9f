// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// Reads one Sensor Logger file row by row. Columns are identified by name.
struct SensorLoggerRowReader {
    /// The earliest civil time (12 January 1970), in nanoseconds since 1970. Earlier times are assumed to be relative
    /// to an unknown origin.
    static let earliestCivilTime: Int64 = 1_000_000_000_000_000

    var reader: CSVReader
    private let timeColumn: Int?
    private let elapsedColumn: Int?
    private let start: Int64

    /// `start` is the time at which `seconds_elapsed` is zero, in nanoseconds since 1970. It is used for rows without a
    /// `time`.
    init(_ bytes: UnsafeRawBufferPointer, name: String, start: Int64) throws(DeviceError) {
        reader = try CSVReader(bytes, name: name)
        try reader.readHeader()
        timeColumn = reader.column("time")
        elapsedColumn = reader.column("seconds_elapsed")
        guard timeColumn != nil || elapsedColumn != nil else {
            throw reader.error(
                "there is neither a column time nor a column seconds_elapsed. Is it a Sensor Logger file?")
        }
        self.start = start
    }

    /// Returns the index of a required column. `name` is spelled as in the app's files.
    func column(_ name: String) throws(DeviceError) -> Int {
        guard let column = reader.column(name.lowercased()) else {
            throw reader.error("there is no column \(name). Is it a Sensor Logger file?")
        }
        return column
    }

    /// Returns the row's time, in nanoseconds since 1970.
    func time() throws(DeviceError) -> Int64 {
        if let timeColumn, let value = try reader.decimal(timeColumn)?.scaled(byPowerOfTen: 0) { return value }
        if let elapsedColumn, let value = try reader.decimal(elapsedColumn)?.scaled(byPowerOfTen: 9) {
            return start.addingSaturated(value)
        }
        throw reader.position(ofColumn: timeColumn ?? elapsedColumn).error(
            "the row has readings but no time in nanoseconds since 1970. Add the time, or remove the row.")
    }
}

/// The contents of a Sensor Logger folder's Metadata.csv, which has a row of names and a row of values.
struct SensorLoggerMetadata {
    var deviceName = ""
    var platform: SensorLoggerOptions.Platform?
    /// True if units and frames are standardised. False if the app version does not have this setting.
    var isStandardised = false
    var start: Int64?
    var remarks: [String] = []

    init() {}

    init(_ bytes: UnsafeRawBufferPointer, name: String) throws(DeviceError) {
        var reader = try CSVReader(bytes, name: name)
        try reader.readHeader()
        let hasValues = try reader.next()
        remarks = reader.remarks
        guard hasValues || reader.isTruncated else {
            throw .invalidTrace("\(name) has a header but no row of values. Export the recording again.")
        }
        func value(_ column: String) -> String { reader.column(column).map { reader.text($0) } ?? "" }
        deviceName = value("device name")
        let system = value("platform").lowercased()
        if system.contains("android") {
            platform = .android
        } else if ["ios", "iphone", "ipad", "apple"].contains(where: { system.contains($0) }) {
            platform = .iOS
        }
        isStandardised = ["true", "1", "yes", "on"].contains(value("standardisation").lowercased())
        if let column = reader.column("recording epoch time"), let number = try reader.decimal(column) {
            start = Self.nanoseconds(number)
        }
    }

    /// Returns the sign convention for acceleration, or nil if the operating system is unknown.
    func convention(_ options: SensorLoggerOptions) -> SampleConvention? {
        if options.isStandardised ?? isStandardised { return .properAcceleration }
        return switch options.platform ?? platform {
        case .iOS?: .appleSignSI
        case .android?: .properAcceleration
        case nil: nil
        }
    }

    /// Converts a time since 1970 to nanoseconds. Depending on its version, the app writes s, ms, µs or ns. The unit is
    /// inferred from the magnitude, which is unambiguous for times after 1973.
    private static func nanoseconds(_ number: DecimalNumber) -> Int64? {
        guard let value = number.scaled(byPowerOfTen: 0), value > 0 else { return nil }
        let factor: Int64 =
            switch value {
            case 100_000_000_000_000_000...: 1
            case 100_000_000_000_000...: 1_000
            case 100_000_000_000...: 1_000_000
            default: 1_000_000_000
            }
        let (product, overflow) = value.multipliedReportingOverflow(by: factor)
        return overflow ? nil : product
    }
}
