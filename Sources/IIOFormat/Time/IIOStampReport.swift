// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What ``IIOStampRepair`` had to do to the stamps of a batch.
public struct IIOStampReport: Sendable, Hashable {
    /// The number of stamps that did not rise, or lay beside a jump, and were made anew.
    public var rebuilt = 0
    /// By how many nanoseconds the clock of the stamps jumped, ahead when positive; nil when it did not.
    public var jump: Int64?

    /// A report of nothing.
    public init() {}
}
