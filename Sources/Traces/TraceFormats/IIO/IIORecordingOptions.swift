// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What a program knows about raw buffer files beyond what the context says.
public struct IIORecordingOptions: Sendable, Hashable {
    /// Scans a second where they carry no time stamps; nil to take `sampling_frequency` from the context.
    public var rate: Double?

    /// Options that leave everything to the context, but for those that are given.
    public init(rate: Double? = nil) {
        self.rate = rate
    }
}
