// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// How the samples of a channel lie in a buffer.
public struct IIOScanElement: Sendable, Hashable {
    /// The place in the order of channels; there may be gaps.
    public var index: Int
    /// The format of a sample.
    public var format: IIODataFormat
    /// The scale that the context states beside the format; nil when it states none.
    public var scale: Double?

    /// An element of those parts.
    public init(index: Int, format: IIODataFormat, scale: Double? = nil) {
        self.index = index
        self.format = format
        self.scale = scale
    }
}
