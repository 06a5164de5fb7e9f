// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// The layout of a motion CSV file. The column names identify the layout.
public enum MotionCSVLayout: String, Sendable, CaseIterable {
    /// Columns `t,gx,gy,gz,ax,ay,az,mx,my,mz` and `p` in any order, for any subset of the sensors. Units are seconds,
    /// rad/s, m/s² (proper acceleration, +9.81 on the axis that points up), microtesla and kPa. Exports use this
    /// layout.
    case si
    /// Columns `t,ax,ay,az,gx,gy,gz,mx,my,mz` in exactly this order. Units are those of ``si``, except that the
    /// magnetic field is in gauss, as in the kernel's IIO subsystem.
    case iio
    /// Columns `gx,gy,gz,ax,ay,az,mx,my,mz,qw,qx,qy,qz,move`, without times. Values are integers in units of 1e-4
    /// rad/s, 1e-3 m/s² and 0.1 microtesla. Rows are 0.0105 s apart. The attitude is ignored.
    case broad
    /// Columns `roll,pitch,yaw,gx,gy,gz,rx,ry,rz,ux,uy,uz`, without times. They contain Core Motion's attitude (in
    /// units of 1e-4 rad), gravity (1e-4 g), rotation rate (1e-4 rad/s) and user acceleration (1e-4 g) as integers.
    /// Rows are 0.02 s apart. Acceleration is the sum of gravity and user acceleration in Apple's sign convention.
    case motionSense

    static let broadColumns = ["gx", "gy", "gz", "ax", "ay", "az", "mx", "my", "mz", "qw", "qx", "qy", "qz"]
    static let motionSenseColumns = ["roll", "pitch", "yaw", "gx", "gy", "gz", "rx", "ry", "rz", "ux", "uy", "uz"]
    static let iioColumns = ["t", "ax", "ay", "az", "gx", "gy", "gz", "mx", "my", "mz"]

    /// Detects the layout from the header. More specific layouts are tested first, because ``si`` matches most headers.
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

    /// The columns of scalar sensors. They identify a layout only if the table also has a time column.
    private static let scalarColumns = Set(SensorKind.allCases.filter { !$0.isVector }.flatMap(\.csvColumns))
    static let timeColumns: Set<String> = ["t", "time", "seconds", "t (s)", "time (s)", "t_s", "time_s"]

    /// The default interval between rows in seconds, or nil if the layout has times.
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
    /// The layout. If nil, it is detected from the column names.
    public var layout: MotionCSVLayout?
    /// The interval between rows, for files without times. If nil, the layout's default is used.
    public var period: Duration?
    /// The civil time at time zero, or nil if unknown. Ignored if times in the file count from 1970.
    public var start: WallTime?

    /// Creates options. By default, all information is taken from the file.
    public init(layout: MotionCSVLayout? = nil, period: Duration? = nil, start: WallTime? = nil) {
        (self.layout, self.period, self.start) = (layout, period, start)
    }
}

extension MotionCSVLayout {
    /// Creates a converter for the rows. Throws an error if the header has no columns for any sensor, or has columns
    /// for only some axes of a sensor.
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
