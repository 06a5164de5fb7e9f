// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Why a handler is told an error.
enum StreamFailure: Sendable {
    /// A sensor gives nothing for now.
    indirect case loss(SensorKind, DeviceError)
    /// Where north is cannot be relied on before the device has been moved.
    case requiresMovement
    /// True north is not known, since the position is not.
    case noTrueNorth

    /// True when the other one is news of the same matter, so that the newer will do.
    func isOfSameMatter(as other: StreamFailure) -> Bool {
        switch (self, other) {
        case (.loss(let kind, _), .loss(let otherKind, _)): kind == otherKind
        case (.requiresMovement, .requiresMovement), (.noTrueNorth, .noTrueNorth): true
        default: false
        }
    }
}
