// SPDX-License-Identifier: Apache-2.0

/// Partitions of the sphere and of the set of all attitudes into numbered cells.
enum DirectionCells {
    /// The number of cells of equal area on the sphere: four bands of eight.
    static let directionCount = 32

    /// Returns the cell of a direction of any length; nil if the vector has no direction.
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

    /// Returns the fine cell of a direction, one of 25 for each face of a cube; 0 if the vector has no direction.
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

    /// The number of cells of attitudes, each about 30 degrees wide.
    static let attitudeCount = 4 * 125

    /// Returns the cell of an attitude.
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
