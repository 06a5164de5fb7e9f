// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// Layouts of motion CSV files, which are identified by their column names.
public enum MotionCSVLayout: String, Sendable, CaseIterable {
    /// Columns `t,gx,gy,gz,ax,ay,az,mx,my,mz` and `p` in any order, for any subset of the sensors. Units are seconds,
    /// rad/s, m/s², microtesla and kPa. Acceleration is proper acceleration, +9.81 on the axis that points up. Exports
    /// use this layout.
    case si
    /// Columns `t,ax,ay,az,gx,gy,gz,mx,my,mz` in exactly this order. The units are those of ``si``, except that the
    /// magnetic field is in gauss, as in the kernel's IIO subsystem.
    case iio
    /// Columns `gx,gy,gz,ax,ay,az,mx,my,mz,qw,qx,qy,qz,move`, without times. Values are integers in units of 1e-4
    /// rad/s, 1e-3 m/s² and 0.1 microtesla; rows are 0.0105 s apart. The attitude columns are ignored.
    case broad
    /// Columns `roll,pitch,yaw,gx,gy,gz,rx,ry,rz,ux,uy,uz`, without times. Values are Core Motion's, as integers in
    /// units of 1e-4 (rad, g, rad/s, g); rows are 0.02 s apart. Acceleration is the sum of gravity and user
    /// acceleration, with Apple's sign convention.
    case motionSense

    /// The columns that identify each layout.
    static let broadColumns = ["gx", "gy", "gz", "ax", "ay", "az", "mx", "my", "mz", "qw", "qx", "qy", "qz"]
    static let motionSenseColumns = ["roll", "pitch", "yaw", "gx", "gy", "gz", "rx", "ry", "rz", "ux", "uy", "uz"]
    static let iioColumns = ["t", "ax", "ay", "az", "gx", "gy", "gz", "mx", "my", "mz"]

    /// Detects the layout from lower-case column names. Returns nil if the columns are not motion readings.
    init?(columns: [String]) {
        if columns == Self.iioColumns {
            self = .iio
        } else if Self.motionSenseColumns.allSatisfy(columns.contains) {
            self = .motionSense
        } else if !columns.contains(where: { Self.timeColumns.contains($0) }),
            Self.broadColumns.allSatisfy(columns.contains)
        {
            self = .broad
        } else if ["gx", "ax", "mx"].contains(where: columns.contains)
            || columns.contains(where: Self.scalarColumns.contains)
                && columns.contains(where: Self.timeColumns.contains)
        {
            self = .si
        } else {
            return nil
        }
    }

    /// The columns of scalar sensors. Because unrelated tables may have columns with these names, they are recognized
    /// only if there is also a column of seconds.
    private static let scalarColumns = Set(SensorKind.allCases.filter { !$0.isVector }.flatMap(\.csvColumns))

    /// The possible names for a column of seconds.
    static let timeColumns: Set<String> = ["t", "time", "seconds", "t (s)", "time (s)", "t_s", "time_s"]

    /// The default interval between rows in seconds, for layouts without times; nil if the interval must be specified.
    package var defaultPeriod: Double? {
        switch self {
        case .si, .iio: nil
        case .broad: 0.0105
        case .motionSense: 0.02
        }
    }
}

/// Options for reading a CSV file of motion readings.
public struct MotionCSVOptions: Sendable, Hashable {
    /// The layout; nil to detect it from the column names.
    public var layout: MotionCSVLayout?
    /// The interval between rows in seconds, for files without times; nil for the layout's default. Ignored if the file
    /// has times.
    public var period: Double?
    /// The civil time at time zero; nil if unknown. Ignored if the times in the file are since 1970.
    public var start: WallTime?

    /// Creates options. By default, all information is taken from the file.
    public init(layout: MotionCSVLayout? = nil, period: Double? = nil, start: WallTime? = nil) {
        self.layout = layout
        self.period = period
        self.start = start
    }
}

extension MotionCSVLayout {
    /// Creates a converter for the rows below the header.
    ///
    /// - Throws: An error if the header contains no sensor, or not all axes of a sensor.
    func rows(_ reader: borrowing CSVReader) throws(DeviceError) -> TableRowConverter {
        var columns: [CSVQuantity: TableRowConverter.Column] = [:]
        let letters = self == .motionSense ? ["r", "u"] : ["g", "a", "m"]
        for (letter, kind) in zip(letters, [SensorKind.gyroscope, .accelerometer, .magnetometer]) {
            for (axis, index) in zip(kind.csvQuantities, try Self.axes(letter, reader)) {
                columns[axis] = TableRowConverter.Column(index: index)
            }
        }
        if self == .si || self == .iio {
            for kind in SensorKind.allCases where !kind.isVector {
                for (name, quantity) in zip(kind.csvColumns, kind.csvQuantities) {
                    if let index = reader.column(name) { columns[quantity] = TableRowConverter.Column(index: index) }
                }
            }
        }
        guard !columns.isEmpty else {
            throw reader.error(
                "no column contains motion readings. Name the columns t, gx, gy, gz, ax, ay, az, mx, my, mz.")
        }
        var rows = TableRowConverter(columns, from: reader.name)
        if self == .motionSense { rows.gravity = try Self.axes("g", reader) }
        rows.convert = converted
        return rows
    }

    private func converted(_ kind: SensorKind, _ value: SIMD3<Double>) -> SIMD3<Double> {
        switch (kind, self) {
        case (.gyroscope, .broad), (.gyroscope, .motionSense): value / 1e4
        case (.accelerometer, .broad): value / 1e3
        case (.accelerometer, .motionSense): SampleConventions.acceleration(value / 1e4, from: .coreMotion)
        case (.magnetometer, .broad): SampleConventions.gauss(microtesla: value / 10)
        case (.magnetometer, .si): SampleConventions.gauss(microtesla: value)
        default: value
        }
    }

    /// Returns the column indices of the three axes with the given letter; an empty array if none of the axes exists.
    private static func axes(_ letter: String, _ reader: borrowing CSVReader) throws(DeviceError) -> [Int] {
        var found: [Int] = []
        var missing: [String] = []
        for axis in ["x", "y", "z"] {
            if let column = reader.column(letter + axis) {
                found.append(column)
            } else {
                missing.append(letter + axis)
            }
        }
        guard found.isEmpty || missing.isEmpty else {
            throw reader.error(
                "the header lacks \(missing.joined(separator: " and ")): a sensor has three axes. Add or remove columns."
            )
        }
        return found
    }
}
