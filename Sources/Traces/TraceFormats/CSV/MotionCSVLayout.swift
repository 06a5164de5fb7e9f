// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

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
            || columns.contains("p") && columns.contains(where: { Self.timeColumns.contains($0) })
        {
            self = .si
        } else {
            return nil
        }
    }

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
