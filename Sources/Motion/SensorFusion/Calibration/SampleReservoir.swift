// SPDX-License-Identifier: Apache-2.0

/// A bounded collection of samples. If the collection is full, a new sample replaces the oldest sample in the fullest
/// cell, so that minutes at rest do not outweigh a few seconds of rotation.
struct SampleReservoir: Sendable {
    let capacity: Int
    /// The samples in no particular order.
    private(set) var samples: [MagneticSample] = []
    /// The number of samples in each cell.
    private(set) var counts: [Int]
    private var nextSequenceNumber: Int64 = 0

    init(capacity: Int, cells: Int) {
        self.capacity = capacity
        counts = [Int](repeating: 0, count: cells)
        samples.reserveCapacity(capacity)
    }

    mutating func insert(_ sample: MagneticSample) {
        guard counts.indices.contains(sample.cell) else { return }
        var sample = sample
        sample.sequenceNumber = nextSequenceNumber
        nextSequenceNumber += 1
        counts[sample.cell] += 1
        guard samples.count >= capacity else {
            samples.append(sample)
            return
        }
        func rank(_ index: Int) -> (Int, Int64) { (counts[samples[index].cell], -samples[index].sequenceNumber) }
        guard let replaced = samples.indices.max(by: { rank($0) < rank($1) }) else { return }
        counts[samples[replaced].cell] -= 1
        samples[replaced] = sample
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

/// Divides the sphere of directions and the set of attitudes into numbered cells.
enum DirectionCells {
    /// The number of equal-area cells on the sphere.
    static let directionCount = 32

    /// Returns the cell that contains the direction of a vector, or nil if the vector is zero, infinite or NaN.
    static func direction(_ vector: SIMD3<Double>) -> Int? {
        let length = vector.length
        guard length.isFinite, length > 0 else { return nil }
        let band = min(3, Int((vector.z / length + 1) * 2))
        let (x, y) = (vector.x, vector.y)
        var octant = y < 0 ? 4 : 0
        if (x < 0) != (y < 0) { octant += 2 }
        let steep = abs(y) > abs(x)
        if steep == ((x < 0) == (y < 0)) { octant += 1 }
        return band * 8 + octant
    }

    /// Returns the cell of a finer grid (25 cells per face of a cube) that contains the direction of a vector, or 0 if
    /// the vector has no direction.
    static func fineDirection(_ vector: SIMD3<Double>) -> Int {
        var largest = 0
        for index in 1..<3 where abs(vector[index]) > abs(vector[largest]) { largest = index }
        let main = vector[largest]
        guard main != 0, vector.isFinite else { return 0 }
        var cell = 2 * largest + (main < 0 ? 1 : 0)
        for index in 0..<3 where index != largest {
            cell = cell * 5 + min(4, max(0, Int((vector[index] / main + 1) * 2.5)))
        }
        return cell
    }

    /// The number of attitude cells, which are about 30 degrees wide.
    static let attitudeCount = 4 * 125

    static func attitude(_ q: Quaternion) -> Int {
        let c = q.components
        var largest = 0
        for index in 1..<4 where abs(c[index]) > abs(c[largest]) { largest = index }
        guard c[largest] != 0 else { return 0 }
        var cell = largest
        for index in 0..<4 where index != largest {
            cell = cell * 5 + min(4, max(0, Int((c[index] / c[largest] + 1) * 2.5)))
        }
        return cell
    }
}
