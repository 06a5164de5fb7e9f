// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// The contents of Metadata.csv in a folder of Sensor Logger, which has a row of names and a row of values.
struct SensorLoggerMetadata {
    /// The name of the device; empty if unknown.
    var deviceName = ""
    /// The operating system; nil if unknown.
    var platform: SensorLoggerOptions.Platform?
    /// Whether units and frames are standardised. False for versions of the app without this setting.
    var isStandardised = false
    /// The start time in nanoseconds since 1970; nil if unknown.
    var start: Int64?
    /// Remarks about the file for the user.
    var remarks: [String] = []

    /// Creates metadata for a folder without the file.
    init() {}

    /// Reads the file.
    init(_ bytes: UnsafeRawBufferPointer, name: String) throws(DeviceError) {
        var reader = try CSVReader(bytes, name: name)
        try reader.readHeader()
        let hasValues = try reader.next()
        remarks = reader.remarks
        guard hasValues || reader.isTruncated else {
            throw DeviceError(.invalidTrace, "\(name) has a header but no row of values. Export the recording again.")
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

    /// Returns the sign convention of acceleration; nil if the operating system is unknown.
    func convention(_ options: SensorLoggerOptions) -> SampleConvention? {
        if options.isStandardised ?? isStandardised { return .properAcceleration }
        return switch options.platform ?? platform {
        case .iOS?: .appleSignSI
        case .android?: .properAcceleration
        case nil: nil
        }
    }

    /// Converts a time since 1970 in s, ms, µs or ns to nanoseconds. Versions of the app write milliseconds or
    /// nanoseconds. The magnitude identifies the unit of times since 1973.
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
