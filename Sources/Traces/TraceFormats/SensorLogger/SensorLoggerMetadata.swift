// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// What Metadata.csv of a folder of Sensor Logger says: a row of names, and a row of values.
struct SensorLoggerMetadata {
    /// The device's name; empty when the file does not say.
    var deviceName = ""
    /// The system; nil when the file does not say.
    var platform: SensorLoggerOptions.Platform?
    /// Whether units and frames are standardised. Versions before that setting do not say, and did not.
    var isStandardised = false
    /// The start in nanoseconds since 1970; nil when the file does not say.
    var start: Int64?
    /// What somebody should know about the file.
    var remarks: [String] = []

    /// What is known without the file.
    init() {}

    /// Reads the file.
    init(_ bytes: UnsafeRawBufferPointer, name: String) throws(DeviceError) {
        var reader = try CSVReader(bytes, name: name)
        try reader.readHeader()
        let hasValues = try reader.next()
        remarks = reader.remarks
        guard hasValues || reader.isCutOff else {
            throw DeviceError(.invalidTrace, "\(name) has a header and no row of values. Export the recording again.")
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

    /// The rule for signs that the folder follows; nil when nobody says.
    func convention(_ options: SensorLoggerOptions) -> SampleConvention? {
        if options.isStandardised ?? isStandardised { return .properAcceleration }
        return switch options.platform ?? platform {
        case .iOS?: .appleSignSI
        case .android?: .properAcceleration
        case nil: nil
        }
    }

    /// Versions differ in milliseconds and nanoseconds since 1970: the size tells, for times from 1973 on.
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
