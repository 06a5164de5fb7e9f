// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// What a location from a device knows beyond Apple's properties: the report it was made from and the sky above it.
struct LocationDetails: Sendable {
    let report: PositionReport
    let sky: SkyReport?
    /// True when the receiver's time was earlier than in its report before.
    let isOutOfOrder: Bool
    /// The clock by which the report arrived.
    let clock: any DeviceClock
}
