// SPDX-License-Identifier: Apache-2.0

/// A map of areas on the Earth that do not overlap. Each area has a label. Label 0 means no area.
///
/// The map is divided into cells of at least one degree. A cell without outlines has a single label. Any other cell
/// stores the label at its south-west corner and the arcs that touch the cell, with the labels on both sides of each
/// arc. To find the label of a point, a line is drawn from the point to the corner. If the line crosses arcs, the
/// intersection nearest to the point determines the label. Otherwise, the point has the corner's label.
///
/// The layer's bytes are:
/// - The size of a cell, in degrees (two bytes).
/// - For each row of cells from the south, the index of its first entry (181 numbers of two bytes).
/// - The number of entries (four bytes).
/// - The entries, five bytes each: the first column to which the entry applies (9 bits), the label at the corner (9
///   bits), and the offset of the arcs from the end of the entries, or 0 for none (22 bits).
/// - The arcs of each cell, as integers of variable length: the number of arcs and, for each arc, the label on the
///   left, the label on the right, the number of line segments, and its points. The first point is relative to the
///   corner. Each further point is relative to the previous one. The longitude precedes the latitude.
struct OutlineLayer: Sendable {
    private let bytes: PlaceBytes

    /// The resolution of the points, in units per degree.
    private static let unitsPerDegree = 500.0
    /// The maximum number of line segments in a cell, which bounds the processing time for damaged data.
    private static let maximumSegments = 20_000

    init(_ bytes: PlaceBytes) { self.bytes = bytes }

    struct LookupResult: Equatable {
        /// The label of the area that contains the point, or 0 if there is none.
        var label: Int
        /// The label on the other side of the outline that determined `label`, or 0 if there was none.
        var oppositeLabel = 0
    }

    /// Returns the area at a position in degrees. The latitude must be within ±90, and the longitude within ±180.
    func area(latitude: Double, longitude: Double) throws(PlaceDataError) -> LookupResult {
        // The outlines end at the edge of the map, so points on the edge are moved inside.
        let latitude = min(89.999, max(-89.999, latitude))
        let longitude = min(179.999, max(-179.999, longitude))
        let size = Double(try bytes.integer(at: 0, byteCount: 2))
        guard (1...30).contains(size) else { throw .damaged }
        let row = min(180 / size - 1, max(0, ((latitude + 90) / size).rounded(.down)))
        let column = min(360 / size - 1, max(0, ((longitude + 180) / size).rounded(.down)))
        guard let entry = try entry(row: Int(row), column: Int(column)) else { return LookupResult(label: 0) }
        guard entry.offset > 0 else { return LookupResult(label: entry.corner) }
        // The coordinate origin is half a unit north and half a unit east of the cell's corner, so that it never
        // coincides with a point of an outline.
        let x = (longitude + 180 - column * size) * Self.unitsPerDegree - 0.5
        let y = (latitude + 90 - row * size) * Self.unitsPerDegree - 0.5
        return try nearestIntersection(x: x, y: y, corner: entry.corner, arcs: entry.offset)
    }

    private func entry(row: Int, column: Int) throws(PlaceDataError) -> (corner: Int, offset: Int)? {
        let first = try bytes.integer(at: 2 + row * 2, byteCount: 2)
        let end = try bytes.integer(at: 4 + row * 2, byteCount: 2)
        let count = try bytes.integer(at: 364, byteCount: 4)
        guard first <= end, end <= count, count <= (bytes.count - 368) / 5 else { throw .damaged }
        let low = try (first..<end).partitionPoint { (entry) throws(PlaceDataError) in
            try bytes.integer(at: 368 + entry * 5, byteCount: 2) & 0x1FF <= column
        }
        guard low > first else { return nil }
        let start = 368 + (low - 1) * 5
        let word = try bytes.integer(at: start, byteCount: 3)
        let rest = try bytes.integer(at: start + 3, byteCount: 2)
        let hasArcs = word & 0x1FF == column
        let offset = word >> 18 | rest << 6
        // An entry can apply to several cells, but only the first of these cells can have arcs.
        guard hasArcs || offset == 0 else { throw .damaged }
        return (word >> 9 & 0x1FF, offset == 0 ? 0 : 368 + count * 5 + offset)
    }

    /// Finds the arc that the line from the point to the origin crosses, and returns the labels on both sides of this
    /// arc. If the line crosses several arcs, the crossing nearest to the point counts. If it crosses none, returns the
    /// corner's label.
    private func nearestIntersection(x: Double, y: Double, corner: Int, arcs: Int) throws(PlaceDataError)
        -> LookupResult
    {
        var cursor = PlaceCursor(bytes: bytes, offset: arcs)
        var result = LookupResult(label: corner)
        var nearest = Double.infinity
        var remainingSegments = Self.maximumSegments
        for _ in 0..<(try cursor.nextUnsigned()) {
            let labels = (left: try cursor.nextUnsigned(), right: try cursor.nextUnsigned())
            let lines = try cursor.nextUnsigned()
            remainingSegments -= lines
            guard remainingSegments >= 0 else { throw .damaged }
            var ax = Double(try cursor.nextSigned()) - 0.5
            var ay = Double(try cursor.nextSigned()) - 0.5
            // A vertex that lies exactly on the line always counts as being on the same side of it. As a result, a
            // crossing at the vertex is counted only once.
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
                        result = LookupResult(
                            label: point > 0 ? labels.left : labels.right,
                            oppositeLabel: point > 0 ? labels.right : labels.left)
                    }
                }
                (ax, ay, aSide) = (bx, by, bSide)
            }
        }
        return result
    }
}
