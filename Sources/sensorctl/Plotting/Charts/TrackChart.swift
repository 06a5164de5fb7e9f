// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The way over the ground, seen from above, north at the top, as long as it is wide.
package struct TrackChart: Sendable {
    package struct Track: Sendable {
        /// The number of its trace.
        package var trace: Int
        package var thinner: TrackThinner
        /// From how many seconds on a pause is a gap; nil where there is none.
        package var gap: Double?

        package init(trace: Int, thinner: TrackThinner, gap: Double?) {
            (self.trace, self.thinner, self.gap) = (trace, thinner, gap)
        }
    }

    package var tracks: [Track]

    package init(tracks: [Track]) { self.tracks = tracks }

    /// A track on the sheet, in metres from where the first one begins.
    struct Drawing {
        let trace: Int
        let places: [TrackPlace]
        let points: [SIMD2<Double>]
        let gap: Double?
    }

    struct Sheet {
        let drawings: [Drawing]
        /// What the sheet has to show.
        let least: SIMD2<Double>
        let greatest: SIMD2<Double>
        /// Where it counts from.
        let origin: TrackPlace
        /// The metres of the accuracy that half of the places do not exceed.
        let accuracy: Double
    }

    /// The tracks on one sheet; nil when there is no place at all.
    var sheet: Sheet? {
        let all = tracks.map { ($0, $0.thinner.places) }.filter { !$0.1.isEmpty }
        let places = all.flatMap(\.1)
        guard let origin = places.first, let projection = TrackProjection(places) else { return nil }
        let start = projection.point(origin)
        let drawings = all.map { track, places in
            Drawing(
                trace: track.trace, places: places, points: places.map { projection.point($0) - start }, gap: track.gap)
        }
        let known = places.map(\.accuracy).filter { $0 >= 0 && $0 < 1e7 }.sorted()
        let accuracy = known.isEmpty ? 0 : known[known.count / 2]
        var (least, greatest) = (SIMD2<Double>.zero, SIMD2<Double>.zero)
        for point in drawings.flatMap(\.points) where point.x.isFinite && point.y.isFinite {
            least = pointwiseMin(least, point)
            greatest = pointwiseMax(greatest, point)
        }
        // A receiver that stands still is seen in its circles.
        let room = max(accuracy * 1.1, max(greatest.x - least.x, greatest.y - least.y) * 0.04, 0.5)
        return Sheet(
            drawings: drawings, least: least - room, greatest: greatest + room, origin: origin, accuracy: accuracy)
    }
}

extension TrackChart.Sheet {
    /// The metres that a box shows, the same number to a pixel in both directions.
    func domains(width: Double, height: Double) -> (x: ClosedRange<Double>, y: ClosedRange<Double>) {
        let extent = greatest - least
        let scale = max(extent.x / width, extent.y / height)
        let middle = (least + greatest) / 2
        let half = SIMD2(width, height) * (scale / 2)
        return (middle.x - half.x...middle.x + half.x, middle.y - half.y...middle.y + half.y)
    }
}
