// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// How a sensor is mounted, after everything that speaks of it has been heard.
public struct IIOMounting: Sendable, Hashable {
    /// Turns readings, in the kernel's convention, from the sensor's axes into the device's.
    public var matrix: MountMatrix
    /// Where the matrix comes from, in words.
    public var origin: String
    /// What somebody should know about the sensor, the matrix included.
    public var remarks: [String]

    /// A mounting of those parts.
    public init(matrix: MountMatrix = .identity, origin: String = "none given", remarks: [String] = []) {
        self.matrix = matrix
        self.origin = origin
        self.remarks = remarks
    }

    /// What becomes of a matrix of the kernel's convention.
    enum Use {
        /// It holds nothing but zeros: nobody has filled it in.
        case zeros
        /// It cannot be used, and why.
        case refused(String)
        /// It is used; there may be something to say.
        case taken(remark: String?)
    }

    static func use(of matrix: MountMatrix, kind: SensorKind, origin: String) -> Use {
        let (first, second, third) = matrix.rows
        if first == .zero, second == .zero, third == .zero { return .zeros }
        if matrix.isSingular {
            return .refused("The mount matrix of \(origin) is singular: it loses a direction, and is left out.")
        }
        guard matrix.determinant < 0 else { return .taken(remark: nil) }
        guard kind == .accelerometer else {
            return .refused(
                "The mount matrix of \(origin) mirrors, which is no way to mount a \(kind.rawValue): it is left out.")
        }
        return .taken(
            remark:
                "The mount matrix of \(origin) mirrors (its determinant is negative): the device's axes may be wrong. "
                + "If it was made for the windows convention, say so in the configuration.")
    }
}
