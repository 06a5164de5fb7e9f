// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Numbers of ioctl requests, which C makes with macros that Swift cannot see.
enum IOControl {
    enum Direction {
        case none, toKernel, fromKernel
    }

    /// A request with an argument of that size.
    static func number(_ direction: Direction, _ group: Unicode.Scalar, _ number: UInt, size: Int) -> UInt {
        #if arch(powerpc64) || arch(powerpc64le)
        let (none, toKernel, fromKernel): (UInt, UInt, UInt) = (1, 4, 2)
        let directionShift: UInt = 29
        #else
        let (none, toKernel, fromKernel): (UInt, UInt, UInt) = (0, 1, 2)
        let directionShift: UInt = 30
        #endif
        let bits =
            switch direction {
            case .none: none
            case .toKernel: toKernel
            case .fromKernel: fromKernel
            }
        return bits << directionShift | UInt(size) << 16 | UInt(group.value) << 8 | number
    }
}
