// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Plotting

@Suite("Track charts")
struct TrackTests {
    private static func chart(_ positions: [(Double, Double)], accuracy: Double = 5) -> TrackChart {
        var simplifier = TrackSimplifier()
        for (second, position) in positions.enumerated() {
            simplifier.add(
                TrackPoint(time: Double(second), latitude: position.0, longitude: position.1, accuracy: accuracy))
        }
        return TrackChart(tracks: [TrackChart.Track(trace: 0, simplifier: simplifier, gap: nil)])
    }

    private static func points(_ positions: [(Double, Double)]) throws -> [SIMD2<Double>] {
        try #require(chart(positions).sheet?.drawings.first?.points)
    }

    @Test("Distances on the chart match the WGS 84 ellipsoid, eastward and northward")
    func scale() throws {
        // At a latitude of 45°, one degree of latitude is 111,131.8 m and one degree of longitude 78,846.8 m (WGS 84,
        // Bowring's series).
        let points = try Self.points([(45, 10), (45.001, 10), (45, 10.001)])
        #expect(abs(points[1].y - 111.132) < 0.002 && abs(points[1].x) < 0.002)
        #expect(abs(points[2].x - 78.847) < 0.002 && abs(points[2].y) < 0.002)
    }

    @Test("Both axes have the same number of metres per pixel", arguments: [(400.0, 300.0), (640, 200), (100, 380)])
    func equalAspect(width: Double, height: Double) throws {
        let sheet = try #require(Self.chart([(45, 10), (45.01, 10), (45, 10.1)]).sheet)
        let domains = sheet.domains(width: width, height: height)
        let x = (domains.x.upperBound - domains.x.lowerBound) / width
        let y = (domains.y.upperBound - domains.y.lowerBound) / height
        #expect(abs(x / y - 1) < 1e-12)
        for drawing in sheet.drawings {
            #expect(drawing.points.allSatisfy { domains.x.contains($0.x) && domains.y.contains($0.y) })
        }
    }

    @Test("A track across the 180° meridian has the same shape as elsewhere")
    func antimeridian() throws {
        let west = try Self.points([(-17, 179.99), (-17, -179.99), (-17.01, -179.98)])
        let east = try Self.points([(-17, 9.99), (-17, 10.01), (-17.01, 10.02)])
        for (one, two) in zip(west, east) { #expect(abs(one.x - two.x) < 1e-3 && abs(one.y - two.y) < 1e-3) }
        #expect(west[1].x > 2000 && west[1].x < 2200)
    }

    @Test("A track over a pole is continuous", arguments: [90.0, -90])
    func poles(pole: Double) throws {
        let near = pole * 0.99999
        let points = try Self.points([(near, 20), (pole, 0), (near, -160)])
        // 0.0009° of latitude are 100.5 m near the poles.
        let first = points[1] - points[0]
        let second = points[2] - points[1]
        for step in [first, second] { #expect(abs((step * step).sum().squareRoot() - 100.5) < 0.1) }
        #expect(abs(first.x - second.x) < 0.01 && abs(first.y - second.y) < 0.01)
    }

    @Test("A single position and a stationary track still have a chart area")
    func still() throws {
        for positions in [[(48.0, 11.0)], Array(repeating: (48.0, 11.0), count: 50)] {
            let sheet = try #require(Self.chart(positions).sheet)
            let domains = sheet.domains(width: 400, height: 300)
            // The chart area is at least twice the accuracy.
            #expect(domains.y.upperBound - domains.y.lowerBound > 10)
        }
        let unknown = try #require(Self.chart([(48, 11)], accuracy: -1).sheet)
        #expect(unknown.domains(width: 400, height: 300).x.upperBound > 0)
    }

    @Test("Invalid positions are dropped")
    func impossible() throws {
        let chart = Self.chart([(48, 11), (.nan, 11), (91, 11), (48, .infinity), (48, 1e9), (48.001, 11)])
        #expect(chart.tracks[0].simplifier.count == 2)
        #expect(Self.chart([(.nan, .nan)]).sheet == nil)
    }

    @Test("A track around the equator has finite coordinates")
    func earth() throws {
        let points = try Self.points((0..<360).map { (0, Double($0) - 180) })
        #expect(points.allSatisfy { $0.x.isFinite && $0.y.isFinite })
    }

    @Test("A decimated track keeps its ends and its outliers and uses bounded memory")
    func simplification() throws {
        var simplifier = TrackSimplifier()
        for second in 0..<200_000 {
            // A boat at anchor that drags it once.
            let swing = Double(second * 7919 % 1000) * 1e-8
            let latitude = second == 123_457 ? 54.9 : 54 + swing
            simplifier.add(TrackPoint(time: Double(second), latitude: latitude, longitude: 10 + swing, accuracy: 4))
        }
        let positions = simplifier.points
        #expect(simplifier.count == 200_000)
        #expect(positions.count <= TrackSimplifier.limit + 5)
        #expect(positions.first?.time == 0 && positions.last?.time == 199_999)
        #expect(positions.contains { $0.time == 123_457 && $0.latitude == 54.9 })
        #expect(zip(positions, positions.dropFirst()).allSatisfy { $0.time < $1.time })
        // Positions removed by decimation do not count as pauses.
        #expect(positions.allSatisfy { $0.pause <= 1 })
    }
}
