// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What a position source has to say.
public enum PositionEvent: Sendable {
    /// A position report: every one of them, or one for each epoch, as the subscription asked.
    case report(PositionReport)
    /// The satellites behind the reports.
    case sky(SkyReport)
    /// A compass or inertial report.
    case attitude(AttitudeReport)
    /// The receivers that the service has now.
    case receivers([ReceiverDescription])
    /// A line exactly as the service sent it, for subscriptions that asked for lines.
    case line([UInt8], arrival: BootTime)
    /// No position can be had for now, and why. Sent once for each loss.
    case lost(DeviceError)
    /// The service is back. Positions follow when the receiver has them.
    case regained
}
