// SPDX-License-Identifier: Apache-2.0

/// The position and format of a channel's samples in a buffer.
package struct IIOScanElement: Sendable, Hashable {
    /// The scan index, which determines the order of the channels. Indices may have gaps.
    package var index: Int
    package var format: IIODataFormat
    package var scale: Double?

    package init(index: Int, format: IIODataFormat, scale: Double? = nil) {
        self.index = index
        self.format = format
        self.scale = scale
    }
}

/// The layout of a scan in a buffer. As in the kernel (`iio_compute_scan_bytes`), channels are ordered by scan index
/// and aligned to their size. The scan is padded to a multiple of the largest channel size.
package struct IIOScanLayout: Sendable, Equatable {
    /// `channel` is an index into the device's channels, `index` is the scan index, and `offset` is in bytes.
    package struct Element: Sendable, Equatable {
        package var channel: Int
        package var index: Int
        package var format: IIODataFormat
        package var offset: Int

        package var end: Int { offset + format.byteCount }
    }

    /// The channels, ordered by offset.
    package let elements: [Element]
    /// The size of a scan in bytes, including padding, or 0 if there are no channels.
    package let sampleSize: Int
    /// The scan size in bytes, as calculated by libiio versions up to 0.24, which omit the trailing padding. If it
    /// differs from ``sampleSize``, these versions use wrong offsets when they read scans without a timestamp.
    package let unpaddedSize: Int

    /// Creates the layout of scans with the given channels. Channels with the same scan index share the same bytes.
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
                // Channels with the same index share the same bytes. If their formats differ, reserve space for the
                // larger one.
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

    package func element(of channel: Int) -> Element? { elements.first { $0.channel == channel } }

    /// Returns the same result as the kernel's `ALIGN()`, even if the alignment is not a power of two.
    private static func aligned(_ size: Int, to alignment: Int) -> Int { (size + alignment - 1) & ~(alignment - 1) }
}
