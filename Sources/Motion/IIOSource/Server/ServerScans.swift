// SPDX-License-Identifier: Apache-2.0

import IIOFormat

/// The scans in what a server sends.
///
/// It may cut its answer anywhere, and as long as other clients capture more channels of the device, it sends theirs as well
/// (iiod does, unless it was started with -D).
struct ServerScans {
    /// Bytes of a scan of the channels that were asked for.
    let step: Int
    /// Bytes of a scan as it is sent.
    private(set) var sentStep: Int
    /// Bytes of the largest scan that may be sent.
    let greatestStep: Int
    /// The channels that were asked for, in digits.
    let mask: [UInt8]
    private let device: IIODevice
    private let channels: [Int]
    private var sentMask: [UInt8]
    /// Where in a sent scan the bytes are that belong into one of the channels asked for; empty when they are the same.
    private var moves: [(source: Int, target: Int, count: Int)] = []
    /// The beginning of a scan.
    private var rest: [UInt8] = []

    init(_ device: IIODevice, channels: [Int], step: Int) {
        self.device = device
        self.channels = channels
        self.step = step
        sentStep = step
        let all = device.channels.indices.filter { (device.channels[$0].scan?.index ?? -1) >= 0 }
        greatestStep = max(step, device.layout(of: all)?.sampleSize ?? 0)
        mask = Self.mask(channels, of: device.channels.count)
        sentMask = mask
    }

    /// The mask as libiio writes it: words of 32 channels in eight digits each, the last word first.
    static func mask(_ channels: [Int], of count: Int) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return (0..<max(1, (count + 31) / 32) * 8).reversed().map { place -> UInt8 in
            var digit = 0
            for channel in channels where channel / 4 == place { digit |= 1 << (channel % 4) }
            return digits[digit]
        }
    }

    /// Takes the channels that follow; false when those that were asked for cannot be told from them.
    mutating func take(mask line: some Collection<UInt8>) -> Bool {
        if line.elementsEqual(sentMask) { return true }
        let line = Array(line)
        if line == mask {
            (sentMask, sentStep, moves) = (mask, step, [])
            return true
        }
        let sent = device.channels.indices.filter { channel in
            let digit = channel / 4 < line.count ? line[line.count - 1 - channel / 4] : 0
            return (Character(UnicodeScalar(digit)).hexDigitValue ?? 0) >> (channel % 4) & 1 == 1
        }
        // What is no mask, or one of other channels, does not come out the same.
        guard Self.mask(sent, of: device.channels.count) == line, Set(sent).isSuperset(of: channels),
            let theirs = device.layout(of: sent), let ours = device.layout(of: channels), ours.sampleSize <= step,
            theirs.sampleSize >= step, theirs.sampleSize <= greatestStep
        else { return false }
        let moves = ours.elements.compactMap { element in
            theirs.element(of: element.channel).map { ($0.offset, element.offset, element.format.byteCount) }
        }
        // Scans are moved together from the first on: nothing may lie before its place.
        guard moves.allSatisfy({ $0.0 >= $0.1 }) else { return false }
        (sentMask, sentStep, self.moves) = (line, theirs.sampleSize, moves)
        return true
    }

    /// The whole scans of a chunk, behind the beginning of the first one that came with the chunk before, for which there has
    /// to be room. They lie in the same space; what is left of the last one is kept.
    mutating func whole(_ chunk: Range<Int>, in space: UnsafeMutableRawBufferPointer) -> UnsafeRawBufferPointer {
        let start = chunk.lowerBound - rest.count
        UnsafeMutableRawBufferPointer(rebasing: space[start..<chunk.lowerBound]).copyBytes(from: rest)
        let count = (chunk.upperBound - start) / sentStep
        let end = start + count * sentStep
        rest = end < chunk.upperBound ? Array(space[end..<chunk.upperBound]) : []
        let scans = UnsafeMutableRawBufferPointer(rebasing: space[start..<end])
        guard !moves.isEmpty else { return UnsafeRawBufferPointer(scans) }
        for scan in 0..<count {
            for move in moves {
                let source = scan * sentStep + move.source
                let target = scan * step + move.target
                UnsafeMutableRawBufferPointer(rebasing: scans[target..<target + move.count]).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: scans[source..<source + move.count]))
            }
        }
        return UnsafeRawBufferPointer(rebasing: scans[..<(count * step)])
    }

    /// An answer is over: false when a scan of it is incomplete though whole ones were asked for.
    mutating func end(asked: Int) -> Bool {
        let isWhole = rest.isEmpty || asked % sentStep != 0
        rest = []
        return isWhole
    }
}
