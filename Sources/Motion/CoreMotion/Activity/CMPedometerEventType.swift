// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What a pedometer's event says.
public enum CMPedometerEventType: Int, Sendable {
    /// The person has stopped walking.
    case pause = 0
    /// The person goes on.
    case resume = 1
}
