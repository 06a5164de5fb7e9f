// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// What happens at the end of a trace.
public enum PlaybackEnd: Sendable {
    /// Nothing more comes, as from hardware that has fallen silent. Everything stays as it was last, and time goes on as
    /// far as somebody asks it to, so that what waits for news times out.
    case hold
    /// Time ends with the trace: `advance(by:)` goes no further, and nothing times out.
    case stop
    /// The position source and all motion sensors are lost with that error, which managers are told as they are on live
    /// hardware.
    case fail(DeviceError)
}
