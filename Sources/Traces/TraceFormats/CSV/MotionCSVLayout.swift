// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// The layouts of motion CSV files, which are identified by their column names.
public enum MotionCSVLayout: String, Sendable, CaseIterable {
    /// `t,gx,gy,gz,ax,ay,az,mx,my,mz` in any order, with any of the sensors, and `p`: seconds, rad/s, m/s², microtesla,
    /// kPa. Acceleration is proper acceleration, +9.81 on the axis that points up. Exports use this layout.
    case si
    /// The same names in exactly the order `t,ax,ay,az,gx,gy,gz,mx,my,mz`: the magnetic field is in gauss, as in the
    /// kernel's IIO.
    case iio
    /// `gx,gy,gz,ax,ay,az,mx,my,mz,qw,qx,qy,qz,move` without times: integers in units of 1e-4 rad/s, 1e-3 m/s² and 0.1
    /// microtesla, 0.0105 s apart. The attitude in the following columns is ignored.
    case broad
    /// `roll,pitch,yaw,gx,gy,gz,rx,ry,rz,ux,uy,uz` without times: Core Motion's values as integers in units of 1e-4
    /// (rad, g, rad/s, g), 0.02 s apart. Acceleration is the sum of gravity and user acceleration, in Apple's sign.
    case motionSense

    /// The columns that identify each layout.
    static let broadColumns = ["gx", "gy", "gz", "ax", "ay", "az", "mx", "my", "mz", "qw", "qx", "qy", "qz"]
    static let motionSenseColumns = ["roll", "pitch", "yaw", "gx", "gy", "gz", "rx", "ry", "rz", "ux", "uy", "uz"]
    static let iioColumns = ["t", "ax", "ay", "az", "gx", "gy", "gz", "mx", "my", "mz"]

    /// Detects the layout from column names in lower case; nil if they are not motion readings.
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

    /// The columns of scalar sensors. Other tables also have these names, so they count only together with a column of
    /// seconds.
    private static let scalarColumns = Set(SensorKind.allCases.filter { !$0.isVector }.flatMap(\.csvColumns))

    /// The possible names of a column of seconds.
    static let timeColumns: Set<String> = ["t", "time", "seconds", "t (s)", "time (s)", "t_s", "time_s"]

    /// The interval between rows in seconds, for layouts without times; nil if it must be given.
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
    /// The interval between rows in seconds, for files without times; nil for the default of the layout. Ignored if the
    /// file has times.
    public var period: Double?
    /// The civil time at time zero; nil if unknown. Ignored if the times are seconds since 1970.
    public var start: WallTime?

    /// Creates options; by default all information is taken from the file.
    public init(layout: MotionCSVLayout? = nil, period: Double? = nil, start: WallTime? = nil) {
        self.layout = layout
        self.period = period
        self.start = start
    }
}

extension MotionCSVLayout {
    /// Creates a converter of the rows below the header.
    ///
    /// - Throws: An error if the header contains no sensor, or only some axes of a sensor.
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

    /// Returns the indices of the three axes with a letter; empty if none of them exists.
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
