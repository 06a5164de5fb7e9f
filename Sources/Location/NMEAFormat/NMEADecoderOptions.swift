// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// What is known of sentences beforehand.
public struct NMEADecoderOptions: Sendable, Hashable {
    /// The day on which they begin, as any instant of it; nil to learn it from RMC and ZDA. Those count more.
    public var date: WallTime?
    /// True to take sentences that have no checksum. Sentences that were cut off have none either.
    public var allowsMissingChecksum = false

    /// Options for what receivers send.
    public init() {}
}
