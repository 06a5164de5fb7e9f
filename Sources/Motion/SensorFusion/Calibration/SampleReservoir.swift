// SPDX-License-Identifier: Apache-2.0

/// A bounded collection of samples that drops samples of the most frequent directions first.
///
/// A device that lies on a table for minutes should not outweigh the few seconds in which it rotated. Therefore, if the
/// reservoir is full, a new sample replaces the oldest sample of the fullest cell.
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

    /// Reassigns all samples to cells after the centre of the readings has changed.
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
    /// The number of equal-area cells on the sphere: four bands of eight cells.
    static let directionCount = 32

    /// Returns the cell that contains the direction of a vector, or nil if the vector is zero, infinite or NaN.
    static func direction(_ vector: SIMD3<Double>) -> Int? {
        let length = vector.length
        guard length.isFinite, length > 0 else { return nil }
        let band = min(3, Int((vector.z / length + 1) * 2))
        let (x, y) = (vector.x, vector.y)
        // The octant of the circle, computed without an arc tangent.
        var octant = y < 0 ? 4 : 0
        if (x < 0) != (y < 0) { octant += 2 }
        let steep = abs(y) > abs(x)
        if steep == ((x < 0) == (y < 0)) { octant += 1 }
        return band * 8 + octant
    }

    /// Returns the fine cell that contains the direction of a vector: one of 25 cells for each face of a cube. Returns
    /// 0 if the vector has no direction.
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

    /// The number of attitude cells. Each cell is about 30 degrees wide.
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
