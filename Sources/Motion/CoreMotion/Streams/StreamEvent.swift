// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// What a stream's source has to say.
enum StreamEvent<Input: Sendable>: Sendable {
    /// Something has been measured.
    case input(Input)
    /// A sensor gives nothing for now, and why. Indirect, so that the others are passed on quickly.
    indirect case lost(SensorKind, DeviceError)
    /// A sensor is back.
    case regained(SensorKind)
}
