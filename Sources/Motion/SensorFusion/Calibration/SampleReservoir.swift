// SPDX-License-Identifier: Apache-2.0

/// A bounded collection of samples that drops samples of the most frequent directions first.
///
/// A device that lies on a table for minutes should not outweigh the few seconds in which it rotated. If the reservoir
/// is full, a new sample therefore replaces the oldest sample of the fullest cell.
struct SampleReservoir: Sendable {
    let capacity: Int
    private(set) var samples: [MagneticSample] = []
    private(set) var counts: [Int]
    private var nextAge: Int64 = 0

    init(capacity: Int, cells: Int) {
        self.capacity = capacity
        counts = [Int](repeating: 0, count: cells)
        samples.reserveCapacity(capacity)
    }

    mutating func insert(_ sample: MagneticSample) {
        guard counts.indices.contains(sample.cell) else { return }
        var sample = sample
        sample.age = nextAge
        nextAge += 1
        counts[sample.cell] += 1
        guard samples.count >= capacity else {
            samples.append(sample)
            return
        }
        var replacedIndex = 0
        var victimCount = 0
        for index in samples.indices {
            let count = counts[samples[index].cell]
            if count > victimCount || (count == victimCount && samples[index].age < samples[replacedIndex].age) {
                replacedIndex = index
                victimCount = count
            }
        }
        counts[samples[replacedIndex].cell] -= 1
        samples[replacedIndex] = sample
    }

    mutating func removeAll(where isOld: (MagneticSample) -> Bool) {
        var index = 0
        while index < samples.count {
            if isOld(samples[index]) {
                counts[samples[index].cell] -= 1
                samples.swapAt(index, samples.count - 1)
                samples.removeLast()
            } else {
                index += 1
            }
        }
    }

    /// Assigns all samples to cells again, after the centre of the readings has changed.
    mutating func assignCells(_ cell: (MagneticSample) -> Int) {
        for index in counts.indices { counts[index] = 0 }
        for index in samples.indices {
            let new = min(max(cell(samples[index]), 0), counts.count - 1)
            samples[index].cell = new
            counts[new] += 1
        }
    }

    mutating func removeAll() {
        samples.removeAll(keepingCapacity: true)
        for index in counts.indices { counts[index] = 0 }
    }
}
