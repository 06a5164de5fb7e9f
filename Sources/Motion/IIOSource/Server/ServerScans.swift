// SPDX-License-Identifier: Apache-2.0

import IIOFormat

/// Extracts scans from a server's responses, which may be split at any byte. If other clients capture additional
/// channels of the device, iiod includes these channels in the scans unless it was started with -D.
struct ServerScans {
    /// The size of a scan, in bytes, with the requested channels, with the channels currently sent, and with all
    /// channels.
    let step: Int
    private(set) var sentStep: Int
    let maximumSentStep: Int
    let mask: [UInt8]
    private let device: IIODevice
    private let channels: [Int]
    private var sentMask: [UInt8]
    /// The copy operations that extract the requested channels from a received scan.
    private var copies: [(source: Int, target: Int, count: Int)] = []
    private var partialScan: [UInt8] = []

    init(_ device: IIODevice, channels: [Int], step: Int) {
        (self.device, self.channels, self.step) = (device, channels, step)
        sentStep = step
        let all = device.channels.indices.filter { (device.channels[$0].scan?.index ?? -1) >= 0 }
        maximumSentStep = max(step, device.layout(of: all)?.sampleSize ?? 0)
        mask = Self.mask(channels, of: device.channels.count)
        sentMask = mask
    }

    /// Returns a mask in libiio's format. Each word of 32 channels has eight digits, and the last word comes first.
    static func mask(_ channels: [Int], of count: Int) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return (0..<max(1, (count + 31) / 32) * 8).reversed().map { digitIndex -> UInt8 in
            var digit = 0
            for channel in channels where channel / 4 == digitIndex { digit |= 1 << (channel % 4) }
            return digits[digit]
        }
    }

    /// Returns false if the requested channels cannot be extracted from scans with this mask.
    mutating func setMask(_ line: some Collection<UInt8>) -> Bool {
        if line.elementsEqual(sentMask) { return true }
        let line = Array(line)
        if line == mask {
            (sentMask, sentStep, copies) = (mask, step, [])
            return true
        }
        let sent = device.channels.indices.filter { channel in
            let digit = channel / 4 < line.count ? line[line.count - 1 - channel / 4] : 0
            return (Character(UnicodeScalar(digit)).hexDigitValue ?? 0) >> (channel % 4) & 1 == 1
        }
        // If the mask is invalid or contains unknown channels, re-encoding it yields a different mask.
        guard Self.mask(sent, of: device.channels.count) == line, Set(sent).isSuperset(of: channels),
            let sentLayout = device.layout(of: sent), let requestedLayout = device.layout(of: channels),
            requestedLayout.sampleSize <= step, sentLayout.sampleSize >= step, sentLayout.sampleSize <= maximumSentStep
        else { return false }
        let copies = requestedLayout.elements.compactMap { element in
            sentLayout.element(of: element.channel).map { ($0.offset, element.offset, element.format.byteCount) }
        }
        // Scans are compacted in place from first to last, so data may only move toward the start.
        guard copies.allSatisfy({ $0.0 >= $0.1 }) else { return false }
        (sentMask, sentStep, self.copies) = (line, sentLayout.sampleSize, copies)
        return true
    }

    /// Strips unrequested channels in place from the complete scans in a chunk. An incomplete scan at the end of the
    /// previous chunk is first prepended to this chunk.
    mutating func completeScans(in chunk: Range<Int>, storage: UnsafeMutableRawBufferPointer)
        -> UnsafeRawBufferPointer
    {
        let start = chunk.lowerBound - partialScan.count
        UnsafeMutableRawBufferPointer(rebasing: storage[start..<chunk.lowerBound]).copyBytes(from: partialScan)
        let count = (chunk.upperBound - start) / sentStep
        let end = start + count * sentStep
        partialScan = end < chunk.upperBound ? Array(storage[end..<chunk.upperBound]) : []
        let scans = UnsafeMutableRawBufferPointer(rebasing: storage[start..<end])
        guard !copies.isEmpty else { return UnsafeRawBufferPointer(scans) }
        for scan in 0..<count {
            for copy in copies {
                let source = scan * sentStep + copy.source
                let target = scan * step + copy.target
                UnsafeMutableRawBufferPointer(rebasing: scans[target..<target + copy.count]).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: scans[source..<source + copy.count]))
            }
        }
        return UnsafeRawBufferPointer(rebasing: scans[..<(count * step)])
    }

    /// Returns false if the last scan is incomplete although a whole number of scans was requested.
    mutating func finishResponse(requested: Int) -> Bool {
        let isComplete = partialScan.isEmpty || requested % sentStep != 0
        partialScan = []
        return isComplete
    }
}
