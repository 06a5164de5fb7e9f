// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// One client's capture from one device, between OPEN and CLOSE.
struct SampleStream {
    enum Next {
        /// The byte range of the chunk in `block`.
        case chunk(Range<Int>)
        case wait(BootTime)
        case failure(IIODStatus)
    }

    /// The maximum size of a chunk in bytes. A longer refill is sent in several chunks.
    static let maximumChunkSize = 1 << 20
    let device: Int
    let samplesPerRefill: Int
    let mask: IIODChannelMask
    /// The serial number of the OPEN command. A failure with a lower serial number occurred before this stream was
    /// opened and does not affect it.
    let serial: UInt64
    /// The encoded samples of the last chunk. `IIODOutput.body` refers to them until they have been sent.
    private(set) var block: [UInt8] = []
    private let writer: IIOScanWriter
    private let stampOrigin: Int64
    /// The samples that have arrived but not yet been consumed. Used only for real-time delivery.
    private var queue: SimulatedSampleQueue
    /// The number of the next sample. Used only for delivery on demand.
    private var cursor: Int64 = 0
    /// The device's `stallCount` when this stream was opened or when it last skipped the samples lost during stalls.
    private var handledStallCount: Int

    init(
        device: Int, samples: Int, mask: IIODChannelMask, serial: UInt64, writer: IIOScanWriter, stampOrigin: Int64,
        first: Int64, stallCount: Int
    ) {
        (self.device, self.samplesPerRefill, self.mask) = (device, samples, mask)
        (self.serial, self.writer, self.stampOrigin) = (serial, writer, stampOrigin)
        queue = SimulatedSampleQueue(from: first)
        handledStallCount = stallCount
    }

    var sampleSize: Int { writer.sampleSize }

    mutating func next(atMost requestedCount: Int64, _ state: inout IIODState, now: BootTime) -> Next {
        while true {
            if let status = state.failure(of: device, since: serial) { return .failure(status) }
            let faults = state.faults[device]
            // nil if samples are delivered on demand, in which case `cursor` is used instead.
            let availableCount = state.availableSampleCount(writer.timeline, now: now)
            // No samples are available, because the device is stalled or the connection is about to be closed.
            if faults.isStalled || state.faults.connectionActions.drops { return .wait(.never) }
            if let availableCount {
                if handledStallCount != faults.stallCount {
                    handledStallCount = faults.stallCount
                    queue.skip(to: state.sampleCount(before: writer.timeline, now))
                }
                let capacity = Int64(state.buffersCount(of: device)) * Int64(samplesPerRefill)
                queue.append(upTo: availableCount, capacity: max(capacity, Int64(samplesPerRefill)))
            }
            let first = availableCount == nil ? cursor : queue.first
            /// Returns the number of samples that the stream can still send before it reaches the given sample.
            func remainingCount(before sample: Int64) -> Int64 {
                availableCount == nil ? sample - cursor : queue.count(before: sample)
            }
            var refill = Int64(samplesPerRefill)
            // True if the refill is shorter than the client requested with OPEN. If READBUF requests only part of a
            // refill, the rest of a short refill is kept, but the rest of a full refill is discarded, as in iiod.
            var isShort = false
            func shorten(to length: Int64) {
                guard length < refill else { return }
                refill = length
                isShort = true
            }
            shorten(to: Int64(max(1, SampleStream.maximumChunkSize / sampleSize)))
            if faults.maximumChunk > 0 { shorten(to: Int64(faults.maximumChunk)) }
            if let sample = state.faults.nextSample(of: device) {
                if first >= sample {
                    state.applyFaults(device: device, sample: sample)
                    continue
                }
                shorten(to: remainingCount(before: sample))
            }
            if let count = writer.timeline.passCount, !writer.timeline.isEndless {
                shorten(to: remainingCount(before: count))
                guard refill > 0 else { return state.end == .noDevice ? .failure(.noDevice) : .wait(.never) }
            }
            if availableCount != nil {
                // For a short refill, only the samples to be sent must be available; for a full refill, all of its
                // samples.
                let needed = isShort ? min(refill, requestedCount) : refill
                guard queue.count >= needed else {
                    return .wait(state.dueTime(writer.timeline, sample: queue.nextSample + needed - queue.count - 1))
                }
            }
            let sent = min(refill, requestedCount)
            return .chunk(
                encode(sent, consuming: isShort ? sent : refill, isPaced: availableCount != nil, speed: state.speed))
        }
    }

    /// Encodes the next `count` samples, consumes `consumedCount` samples and returns the byte range of the chunk. If
    /// `consumedCount` is greater than `count`, the extra samples are discarded, as in iiod.
    private mutating func encode(_ count: Int64, consuming consumedCount: Int64, isPaced: Bool, speed: Double) -> Range<
        Int
    > {
        let size = sampleSize
        let length = Int(count) * size
        if block.count < length { block = [UInt8](repeating: 0, count: length) }
        let ranges = isPaced ? queue.removeFirst(consumedCount) : [cursor..<cursor + count]
        if !isPaced { cursor += consumedCount }
        var encodedCount = 0
        for samples in ranges {
            let fitting = samples.lowerBound..<min(samples.upperBound, samples.lowerBound + count - Int64(encodedCount))
            guard !fitting.isEmpty else { break }
            block.withUnsafeMutableBytes { bytes in
                let target = UnsafeMutableRawBufferPointer(rebasing: bytes[(encodedCount * size)...])
                writer.write(fitting, origin: stampOrigin, speed: isPaced ? speed : 1, into: target)
            }
            encodedCount += fitting.count
        }
        return 0..<length
    }
}

/// The samples in the kernel's buffer: a bounded queue that drops the newest samples when it is full.
struct SimulatedSampleQueue: Sendable {
    private(set) var count: Int64 = 0
    private(set) var nextSample: Int64 = 0
    /// The queued samples as ranges of sample numbers, oldest first. Gaps between the ranges represent lost samples.
    private var ranges: [Range<Int64>] = []

    init(from first: Int64) { nextSample = first }

    /// Appends the samples up to `availableCount`. Samples beyond the capacity are lost.
    mutating func append(upTo availableCount: Int64, capacity: Int64) {
        guard availableCount > nextSample else { return }
        let addedCount = min(availableCount - nextSample, max(0, capacity - count))
        if addedCount > 0 {
            if let last = ranges.last, last.upperBound == nextSample {
                ranges[ranges.count - 1] = last.lowerBound..<nextSample + addedCount
            } else {
                ranges.append(nextSample..<nextSample + addedCount)
            }
            count += addedCount
        }
        nextSample = availableCount
    }

    /// Skips all samples with numbers below `availableCount`, except those that are already queued.
    mutating func skip(to availableCount: Int64) { nextSample = max(nextSample, availableCount) }

    /// Returns the number of queued samples before the given sample, plus the number that will arrive before it.
    func count(before sample: Int64) -> Int64 {
        ranges.reduce(max(0, sample - nextSample)) { $0 + max(0, min($1.upperBound, sample) - $1.lowerBound) }
    }

    /// The number of the oldest queued sample, or of the next sample to arrive if the queue is empty.
    var first: Int64 { ranges.first?.lowerBound ?? nextSample }

    /// Removes up to `requestedCount` samples, oldest first, and returns their ranges.
    mutating func removeFirst(_ requestedCount: Int64) -> [Range<Int64>] {
        var result: [Range<Int64>] = []
        var remaining = min(requestedCount, count)
        count -= remaining
        while remaining > 0, let range = ranges.first {
            let removedCount = min(remaining, Int64(range.count))
            result.append(range.lowerBound..<range.lowerBound + removedCount)
            if removedCount == Int64(range.count) {
                ranges.removeFirst()
            } else {
                ranges[0] = range.lowerBound + removedCount..<range.upperBound
            }
            remaining -= removedCount
        }
        return result
    }
}
