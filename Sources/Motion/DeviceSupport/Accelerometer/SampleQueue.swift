// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Readings that wait to be told, oldest first and bounded: when it is full the oldest is dropped and counted.
struct SampleQueue {
    /// More than these do not wait: ten seconds at the greatest rate.
    static let limit = 1024

    private var samples: [AccelerationSample] = []
    /// Where the first one stands; what is before it has been taken.
    private var start = 0
    private(set) var droppedCount = 0

    var count: Int { samples.count - start }

    mutating func append(_ sample: AccelerationSample) {
        if count >= Self.limit {
            start += 1
            droppedCount += 1
        }
        if start >= Self.limit {
            samples.removeFirst(start)
            start = 0
        }
        samples.append(sample)
    }

    mutating func takeFirst() -> AccelerationSample? {
        guard start < samples.count else { return nil }
        let sample = samples[start]
        start += 1
        if start == samples.count { removeAll() }
        return sample
    }

    mutating func removeAll() {
        samples.removeAll(keepingCapacity: true)
        start = 0
    }
}
