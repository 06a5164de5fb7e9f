// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// What the motion engine has to say to a subscriber.
public enum FusionEvent: Sendable {
    /// States, oldest first, never none.
    case states([FusedState])
    /// A sensor gives nothing for now, and why. Sent once for each loss. Indirect, so that states are passed
    /// on quickly.
    indirect case lost(SensorKind, DeviceError)
    /// A sensor is back.
    case regained(SensorKind)
}
