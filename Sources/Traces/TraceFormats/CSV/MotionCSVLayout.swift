// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// The kinds of motion CSV that are told apart by the names of their columns.
public enum MotionCSVLayout: String, Sendable, CaseIterable {
    /// `t,gx,gy,gz,ax,ay,az,mx,my,mz` in any order, any of the sensors, and `p`: seconds, rad/s, m/s², microtesla, kPa.
    /// Acceleration is proper acceleration, +9.81 on the axis that points up. This is the kind that is written.
    case si
    /// The same names in exactly the order `t,ax,ay,az,gx,gy,gz,mx,my,mz`: the magnetic field is in gauss, as the
    /// kernel's IIO gives it.
    case iio
    /// `gx,gy,gz,ax,ay,az,mx,my,mz,qw,qx,qy,qz,move`, no time: whole numbers of 1e-4 rad/s, 1e-3 m/s² and
    /// 0.1 microtesla, 0.0105 s apart; the attitude that follows is not a reading and is passed over.
    case broad
    /// `roll,pitch,yaw,gx,gy,gz,rx,ry,rz,ux,uy,uz`, no time: what Core Motion says, in whole numbers of 1e-4 (rad, g,
    /// rad/s, g), 0.02 s apart. Gravity and user acceleration together are the accelerometer, in Apple's sign.
    case motionSense

    /// The columns that tell it from the others.
    static let broadColumns = ["gx", "gy", "gz", "ax", "ay", "az", "mx", "my", "mz", "qw", "qx", "qy", "qz"]
    static let motionSenseColumns = ["roll", "pitch", "yaw", "gx", "gy", "gz", "rx", "ry", "rz", "ux", "uy", "uz"]
    static let iioColumns = ["t", "ax", "ay", "az", "gx", "gy", "gz", "mx", "my", "mz"]

    /// The kind of a file whose columns, in lower case, are those; nil when they are no motion readings.
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

    /// The columns of sensors without axes. Other tables have such names too, so they count beside a column of seconds only.
    private static let scalarColumns = Set(SensorKind.allCases.filter { !$0.isVector }.flatMap(\.csvColumns))

    /// The names that a column of seconds may have.
    static let timeColumns: Set<String> = ["t", "time", "seconds", "t (s)", "time (s)", "t_s", "time_s"]

    /// The seconds from row to row where the file has no times; nil when they have to be given.
    public var defaultPeriod: Double? {
        switch self {
        case .si, .iio: nil
        case .broad: 0.0105
        case .motionSense: 0.02
        }
    }
}

/// What a program knows about a CSV file beyond what the file says.
public struct MotionCSVOptions: Sendable, Hashable {
    /// The kind of file; nil to tell it by the names of the columns.
    public var layout: MotionCSVLayout?
    /// The seconds from row to row of a file without times; nil for the kind's own. Ignored when there are times.
    public var period: Double?
    /// Civil time at time zero; nil when it is not known. Ignored when the times are seconds since 1970.
    public var start: WallTime?

    /// Options that leave everything to the file, but for those that are given.
    public init(layout: MotionCSVLayout? = nil, period: Double? = nil, start: WallTime? = nil) {
        self.layout = layout
        self.period = period
        self.start = start
    }
}

extension MotionCSVLayout {
    /// What makes readings of the rows below a header.
    func rows(_ reader: borrowing CSVReader) throws(DeviceError) -> TableRows {
        var columns: [CSVQuantity: TableRows.Column] = [:]
        let letters = self == .motionSense ? ["r", "u"] : ["g", "a", "m"]
        for (letter, kind) in zip(letters, [SensorKind.gyroscope, .accelerometer, .magnetometer]) {
            for (axis, index) in zip(kind.csvQuantities, try Self.axes(letter, reader)) {
                columns[axis] = TableRows.Column(index: index)
            }
        }
        if self == .si || self == .iio {
            for kind in SensorKind.allCases where !kind.isVector {
                for (name, quantity) in zip(kind.csvColumns, kind.csvQuantities) {
                    if let index = reader.column(name) { columns[quantity] = TableRows.Column(index: index) }
                }
            }
        }
        guard !columns.isEmpty else {
            throw reader.place(nil).error(
                "no column holds motion readings. They are called t, gx, gy, gz, ax, ay, az, mx, my, mz.")
        }
        var rows = TableRows(columns, from: reader.name)
        if self == .motionSense { rows.gravity = try Self.axes("g", reader) }
        rows.convert = converted
        return rows
    }

    /// Three axes in the units of sources.
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

    /// The three axes of one letter, or none of them.
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
            throw reader.place(nil).error(
                "the header lacks \(missing.joined(separator: " and ")): a sensor has three axes. Add or remove columns."
            )
        }
        return found
    }
}
