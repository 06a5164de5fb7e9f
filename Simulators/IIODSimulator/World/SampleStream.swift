// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// What one client captures from one device, between its OPEN and its CLOSE.
struct SampleStream {
    enum Next {
        /// Scans in the block.
        case chunk(Range<Int>)
        /// None before that time.
        case wait(BootTime)
        case failure(IIODStatus)
    }

    /// The largest chunk, in bytes: what a client can make the server keep for it. Longer refills go in several.
    static let largestChunk = 1 << 20

    let device: Int
    /// The samples of one refill, as OPEN asked for.
    let samples: Int
    let mask: IIODChannelMask
    /// The number of the OPEN among all: failures that happened before do not concern it.
    let serial: UInt64
    /// The encoded scans that are sent next; or those of the whole pass.
    private(set) var block: [UInt8] = []
    /// The bytes of memory that it has from the world's.
    private(set) var reserved = 0

    private var writer: IIOScanWriter
    private let stampOrigin: Int64
    /// The samples that have come, when they come in real time.
    private var queue: SampleQueue
    /// The next sample, when they come as fast as asked.
    private var cursor: Int64 = 0
    private var blockKind = BlockKind.chunk
    private var isPrepared = false
    /// The samples whose stamps lie in the block.
    private var stamped: Range<Int64> = 0..<0
    private var lastCount: Int64 = 0
    /// The stalls of the device whose losses are counted.
    private var seenStalls: Int

    private enum BlockKind {
        /// The block is encoded for every chunk.
        case chunk
        /// It holds one pass of the trace, with the stamps of the first time.
        case pass
        /// It holds scans that are all the same but for their stamps.
        case constant
    }

    init(
        device: Int, samples: Int, mask: IIODChannelMask, serial: UInt64, writer: IIOScanWriter, stampOrigin: Int64,
        first: Int64, stallCount: Int
    ) {
        self.device = device
        self.samples = samples
        self.mask = mask
        self.serial = serial
        self.writer = writer
        self.stampOrigin = stampOrigin
        queue = SampleQueue(from: first)
        seenStalls = stallCount
    }

    var sampleSize: Int { writer.sampleSize }

    mutating func next(atMost wanted: Int64, _ world: inout IIODWorld, now: BootTime) -> Next {
        while true {
            if let status = world.failure(of: device, since: serial) { return .failure(status) }
            let faults = world.faults[device]
            let released = world.released(writer.timeline, now: now)
            // The connection is about to be cut.
            if faults.isStalled || world.faults.orders.drops { return .wait(.never) }
            if let released {
                if seenStalls != faults.stallCount {
                    seenStalls = faults.stallCount
                    queue.lose(to: world.releasedBefore(writer.timeline, now: now))
                }
                let capacity = Int64(world.buffersCount(of: device)) * Int64(samples)
                queue.fill(to: released, capacity: max(capacity, Int64(samples)))
            }
            let first = released == nil ? cursor : queue.first
            var refill = Int64(samples)
            // A refill that is shorter than OPEN asked for loses nothing to a request that is shorter still.
            var isShort = false
            func shorten(to length: Int64) {
                guard length < refill else { return }
                refill = length
                isShort = true
            }
            shorten(to: Int64(max(1, SampleStream.largestChunk / sampleSize)))
            if faults.chunk > 0 { shorten(to: Int64(faults.chunk)) }
            if let sample = world.faults.nextSample(of: device) {
                if first >= sample {
                    world.applyFaults(device: device, sample: sample)
                    continue
                }
                shorten(to: sample - first)
            }
            if let count = writer.timeline.passCount {
                if !writer.timeline.isEndless {
                    shorten(to: count - first)
                    guard refill > 0 else { return world.end == .noDevice ? .failure(.noDevice) : .wait(.never) }
                } else if released == nil {
                    shorten(to: count - writer.timeline.place(of: first))
                }
            }
            if released != nil {
                // Only what is sent is needed when the refill is short anyway.
                let needed = isShort ? min(refill, wanted) : refill
                guard queue.count >= needed else {
                    return .wait(world.releaseTime(writer.timeline, sample: queue.filled + needed - queue.count - 1))
                }
            }
            let sent = min(refill, wanted)
            if !isPrepared { prepare(&world, isPaced: released != nil) }
            return .chunk(encode(sent, taking: isShort ? sent : refill, isPaced: released != nil, speed: world.speed))
        }
    }

    /// Encodes the next samples; those taken beyond them are lost, as iiod loses the rest of a refill.
    private mutating func encode(_ count: Int64, taking taken: Int64, isPaced: Bool, speed: Double) -> Range<Int> {
        let length = Int(count) * sampleSize
        guard isPaced else {
            let samples = cursor..<cursor + count
            cursor += taken
            lastCount = count
            return encodeAhead(samples, length: length)
        }
        if block.count < length { block = [UInt8](repeating: 0, count: length) }
        let size = sampleSize
        var place = 0
        for samples in queue.take(taken) {
            let fitting = samples.lowerBound..<min(samples.upperBound, samples.lowerBound + count - Int64(place))
            guard !fitting.isEmpty else { break }
            block.withUnsafeMutableBytes { bytes in
                let target = UnsafeMutableRawBufferPointer(rebasing: bytes[(place * size)...])
                writer.writeValues(fitting, into: target)
                writer.writeStamps(fitting, origin: stampOrigin, speed: speed, into: target)
            }
            place += fitting.count
        }
        return 0..<length
    }

    private mutating func encodeAhead(_ samples: Range<Int64>, length: Int) -> Range<Int> {
        switch blockKind {
        case .chunk:
            if block.count < length { block = [UInt8](repeating: 0, count: length) }
            block.withUnsafeMutableBytes { bytes in
                writer.writeValues(samples, into: bytes)
                writer.writeStamps(samples, origin: stampOrigin, speed: 1, into: bytes)
            }
            return 0..<length
        case .constant, .pass:
            let start = blockStart(of: samples)
            if samples.lowerBound < stamped.lowerBound || samples.upperBound > stamped.upperBound {
                stamp(samples, at: start)
            }
            return start..<start + length
        }
    }

    /// Stamps the chunk that a client will probably ask for next, while it still works on this one.
    ///
    /// Only after the last chunk has gone: it may lie in the same place.
    mutating func stampAhead() {
        let (end, overflow) = cursor.addingReportingOverflow(lastCount)
        guard lastCount > 0, !overflow, cursor < stamped.lowerBound || end > stamped.upperBound else { return }
        let samples = cursor..<end
        switch blockKind {
        case .chunk: return
        case .pass:
            // The end of a pass ends a chunk.
            guard writer.timeline.phase(of: end - 1) != nil,
                writer.timeline.place(of: end - 1) - writer.timeline.place(of: cursor) == lastCount - 1
            else { return }
        case .constant: break
        }
        stamp(samples, at: blockStart(of: samples))
    }

    private func blockStart(of samples: Range<Int64>) -> Int {
        if case .pass = blockKind { return Int(writer.timeline.place(of: samples.lowerBound)) * sampleSize }
        return 0
    }

    private mutating func stamp(_ samples: Range<Int64>, at start: Int) {
        let end = start + samples.count * sampleSize
        guard end <= block.count else { return }
        block.withUnsafeMutableBytes { bytes in
            writer.writeStamps(
                samples, origin: stampOrigin, speed: 1,
                into: UnsafeMutableRawBufferPointer(rebasing: bytes[start..<end]))
        }
        stamped = samples
    }

    /// Encodes what can be encoded ahead, so that a chunk is a piece of it.
    private mutating func prepare(_ world: inout IIODWorld, isPaced: Bool) {
        isPrepared = true
        guard !isPaced else { return }
        if writer.isConstant {
            blockKind = .constant
            let count = min(samples, max(1, SampleStream.largestChunk / sampleSize))
            block = [UInt8](repeating: 0, count: count * sampleSize)
            block.withUnsafeMutableBytes { writer.writeValues(0..<Int64(count), into: $0) }
        } else if let count = writer.timeline.passCount, count < Int64(Int32.max) / Int64(sampleSize),
            world.reserve(Int(count) * sampleSize)
        {
            reserved = Int(count) * sampleSize
            blockKind = .pass
            block = [UInt8](repeating: 0, count: Int(count) * sampleSize)
            block.withUnsafeMutableBytes { bytes in
                writer.writeValues(0..<count, into: bytes)
                writer.writeStamps(0..<count, origin: stampOrigin, speed: 1, into: bytes)
            }
            stamped = 0..<count
        }
    }
}
