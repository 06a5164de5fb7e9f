// SPDX-License-Identifier: Apache-2.0

/// A map of the earth in areas that do not overlap, each with a label; 0 is none.
///
/// It is cut into cells of one degree or more. A cell without outlines has one label. Any other knows the label at its south-west
/// corner and the arcs that touch the cell, each with the labels on its left and on its right: the outline that is nearest
/// on the way from a point to the corner tells on which side the point is.
///
/// The bytes: how many degrees a cell has (two bytes); for each row of cells from the south the number of its first entry
/// (181 of two bytes, however many rows there are); the number of entries (four bytes); entries of five bytes, which are 9 bits of the first column that they hold for, 9 of the label at the
/// corner and 22 of the offset of the arcs, or 0; then the arcs. They are numbers of varying length: how many; for each
/// the label on the left, on the right, how many lines it has, and its points. The first point counts from the corner,
/// the others from the one before, longitude first.
struct OutlineLayer: Sendable {
    private let bytes: PlaceBytes

    /// Units a degree of the points.
    private static let units = 500.0
    /// What a cell can hold at most, so that damaged data ends soon.
    private static let mostLines = 20_000

    init(_ bytes: PlaceBytes) { self.bytes = bytes }

    /// What the layer says of a point.
    struct Answer: Equatable {
        /// The label of the area that holds it; 0 for none.
        var label: Int
        /// The label across the nearest outline toward the corner: of a point just outside of an area, that area.
        var across = 0
    }

    /// The area at a latitude from -90 to 90 and a longitude from -180 to 180, in degrees.
    func area(latitude: Double, longitude: Double) throws(PlaceDataError) -> Answer {
        // The outlines end where the map does; what is on its edge counts as within.
        let latitude = min(89.999, max(-89.999, latitude))
        let longitude = min(179.999, max(-179.999, longitude))
        let size = Double(try bytes.number(at: 0, bytes: 2))
        guard (1...30).contains(size) else { throw .damaged }
        let row = min(180 / size - 1, max(0, ((latitude + 90) / size).rounded(.down)))
        let column = min(360 / size - 1, max(0, ((longitude + 180) / size).rounded(.down)))
        guard let entry = try entry(row: Int(row), column: Int(column)) else { return Answer(label: 0) }
        guard entry.offset > 0 else { return Answer(label: entry.corner) }
        // Half a unit from the corner, where no point of an outline lies.
        let x = (longitude + 180 - column * size) * Self.units - 0.5
        let y = (latitude + 90 - row * size) * Self.units - 0.5
        return try nearestSide(x: x, y: y, corner: entry.corner, arcs: entry.offset)
    }

    private func entry(row: Int, column: Int) throws(PlaceDataError) -> (corner: Int, offset: Int)? {
        var low = try bytes.number(at: 2 + row * 2, bytes: 2)
        var high = try bytes.number(at: 4 + row * 2, bytes: 2)
        let count = try bytes.number(at: 364, bytes: 4)
        guard low <= high, high <= count, count <= (bytes.count - 368) / 5 else { throw .damaged }
        let first = low
        while low < high {
            let middle = (low + high) / 2
            if try bytes.number(at: 368 + middle * 5, bytes: 2) & 0x1FF <= column {
                low = middle + 1
            } else {
                high = middle
            }
        }
        guard low > first else { return nil }
        let start = 368 + (low - 1) * 5
        let word = try bytes.number(at: start, bytes: 3)
        let rest = try bytes.number(at: start + 3, bytes: 2)
        let isOwn = word & 0x1FF == column
        let offset = word >> 18 | rest << 6
        // Arcs are those of one cell; what follows it without an entry of its own has none.
        guard isOwn || offset == 0 else { throw .damaged }
        return (word >> 9 & 0x1FF, offset == 0 ? 0 : 368 + count * 5 + offset)
    }

    /// Follows the arcs and takes the crossing nearest to the point on its way to the corner, which is the origin.
    private func nearestSide(x: Double, y: Double, corner: Int, arcs: Int) throws(PlaceDataError) -> Answer {
        var cursor = PlaceCursor(bytes: bytes, offset: arcs)
        var answer = Answer(label: corner)
        var nearest = Double.infinity
        var left = Self.mostLines
        for _ in 0..<(try cursor.next()) {
            let labels = (left: try cursor.next(), right: try cursor.next())
            let lines = try cursor.next()
            left -= lines
            guard left >= 0 else { throw .damaged }
            var ax = Double(try cursor.nextSigned()) - 0.5
            var ay = Double(try cursor.nextSigned()) - 0.5
            // On which side of the way the point lies: what is exactly on it counts as on the left, once.
            var aSide = x * ay - y * ax <= 0
            for _ in 0..<lines {
                let bx = ax + Double(try cursor.nextSigned())
                let by = ay + Double(try cursor.nextSigned())
                let bSide = x * by - y * bx <= 0
                if aSide != bSide {
                    let point = (bx - ax) * (y - ay) - (by - ay) * (x - ax)
                    let origin = (by - ay) * ax - (bx - ax) * ay
                    if (point > 0) != (origin > 0), point / (point - origin) < nearest {
                        nearest = point / (point - origin)
                        answer = Answer(
                            label: point > 0 ? labels.left : labels.right,
                            across: point > 0 ? labels.right : labels.left)
                    }
                }
                (ax, ay, aSide) = (bx, by, bSide)
            }
        }
        return answer
    }
}
