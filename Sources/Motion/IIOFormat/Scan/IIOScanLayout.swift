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

/// How the channels of one scan lie in a buffer.
///
/// The kernel's rule: channels in the order of their scan indexes, each aligned to its own size from the start of the
/// scan, and the whole filled up to a multiple of the largest (`iio_compute_scan_bytes` in the kernel).
package struct IIOScanLayout: Sendable, Equatable {
    /// A channel's place in the scan.
    package struct Element: Sendable, Equatable {
        /// The place of the channel in its device's list of channels.
        package var channel: Int
        /// The scan index.
        package var index: Int
        /// The format of the sample.
        package var format: IIODataFormat
        /// The bytes before it in the scan.
        package var offset: Int

        /// The first byte behind it.
        package var end: Int { offset + format.byteCount }
    }

    /// The channels, in the order in which they lie.
    package let elements: [Element]
    /// The bytes from one scan to the next; 0 when there are no channels.
    package let sampleSize: Int
    /// The bytes of a scan as libiio up to 0.24 counts them.
    ///
    /// It does not fill up the end. Where this differs from ``sampleSize``, such a libiio reads scans at wrong places,
    /// unless the time stamp is captured too.
    package let unpaddedSize: Int

    /// The layout of a scan of those channels, in any order; those with one index share a place.
    package init(_ channels: [(channel: Int, scan: IIOScanElement)]) {
        let sorted = channels.enumerated()
            .sorted { ($0.element.scan.index, $0.offset) < ($1.element.scan.index, $1.offset) }
            .map(\.element)
        var elements: [Element] = []
        var size = 0
        var unpadded = 0
        var largest = 1
        for (channel, scan) in sorted {
            let bytes = scan.format.byteCount
            if let last = elements.last, last.index == scan.index {
                elements.append(Element(channel: channel, index: scan.index, format: scan.format, offset: last.offset))
                // Formats of one index are the same; where a description says otherwise nothing may lie outside.
                size = max(size, last.offset + bytes)
                continue
            }
            let offset = Self.aligned(size, to: bytes)
            elements.append(Element(channel: channel, index: scan.index, format: scan.format, offset: offset))
            size = offset + bytes
            largest = max(largest, bytes)
            unpadded = (unpadded + bytes - 1) / bytes * bytes + bytes
        }
        self.elements = elements
        sampleSize = Self.aligned(size, to: largest)
        unpaddedSize = unpadded
    }

    /// The element of that channel.
    package func element(of channel: Int) -> Element? { elements.first { $0.channel == channel } }

    /// The kernel's ALIGN(). It is meant for powers of two, and used for elements of three values as well.
    private static func aligned(_ size: Int, to alignment: Int) -> Int { (size + alignment - 1) & ~(alignment - 1) }
}
