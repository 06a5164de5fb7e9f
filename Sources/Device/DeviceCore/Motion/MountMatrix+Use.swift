// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

extension MountMatrix {
    /// What becomes of a matrix of the kernel's convention.
    package enum Use {
        /// It holds nothing but zeros: nobody has filled it in.
        case zeros
        /// It cannot be used, and why.
        case refused(String)
        /// It is used; there may be something to say.
        case taken(remark: String?)
    }

    /// Whether a sensor of that kind can use it; `origin` says in words where it comes from.
    package func use(for kind: SensorKind, origin: String) -> Use {
        let (first, second, third) = rows
        if first == .zero, second == .zero, third == .zero { return .zeros }
        if isSingular {
            return .refused("The mount matrix of \(origin) is singular: it loses a direction, and is left out.")
        }
        guard determinant < 0 else { return .taken(remark: nil) }
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
