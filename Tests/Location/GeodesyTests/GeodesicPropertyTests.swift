// SPDX-License-Identifier: Apache-2.0

import Foundation
import Geodesy
import TestSupport
import Testing

@Suite("Properties of geodesics")
struct GeodesicPropertyTests {
    @Test("The distance is the same, bit for bit, in both directions")
    func symmetry() {
        var random = SeededGenerator(seed: 1)
        for round in 0..<20_000 {
            let first = random.coordinate()
            var second = random.coordinate()
            switch round % 4 {
            case 0: second = GeodeticCoordinate(first.latitude + 1e-3, first.longitude - 1e-3)
            case 1: second = GeodeticCoordinate(-first.latitude, first.longitude + 179.9)
            case 2: second = GeodeticCoordinate(first.latitude, first.longitude + 1e-9)
            default: break
            }
            let forward = Geodesic.distance(from: first, to: second)
            let backward = Geodesic.distance(from: second, to: first)
            #expect(forward.bitPattern == backward.bitPattern, "\(first) \(second)")
        }
    }

    @Test("Signed zeros and equivalent longitudes yield the same distance")
    func equalNames() {
        let fiji = GeodeticCoordinate(-17, 180)
        #expect(Geodesic.distance(from: fiji, to: GeodeticCoordinate(-17, -180)) == 0)
        #expect(Geodesic.distance(from: fiji, to: GeodeticCoordinate(-17, 540)) == 0)
        for (a, b) in [(0.0, -0.0), (-0.0, 0.0)] {
            #expect(Geodesic.distance(from: GeodeticCoordinate(a, b), to: GeodeticCoordinate(b, a)) == 0)
            let far = Geodesic.distance(from: GeodeticCoordinate(a, b), to: GeodeticCoordinate(b, 179.9))
            #expect(far == Geodesic.distance(from: GeodeticCoordinate(0, 179.9), to: GeodeticCoordinate(0, 0)))
        }
        let west = Geodesic.inverse(from: GeodeticCoordinate(10, 179), to: GeodeticCoordinate(12, -179))
        let east = Geodesic.inverse(from: GeodeticCoordinate(10, -1), to: GeodeticCoordinate(12, 1))
        #expect(west == east)
        // The path leads east, although the longitude changes from 179 to -179.
        #expect(west.initialAzimuth > 0 && west.initialAzimuth < 90)
    }

    @Test("Coincident points have a distance and azimuths of zero")
    func coincidence() {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<1000 {
            let point = random.coordinate()
            #expect(Geodesic.distance(from: point, to: point) == 0)
            let path = Geodesic.inverse(from: point, to: point)
            #expect(path == Geodesic.inverse(from: GeodeticCoordinate(0, 0), to: GeodeticCoordinate(0, 0)))
            #expect(path.distance == 0 && path.initialAzimuth == 0 && path.finalAzimuth == 0)
        }
        let pole = Geodesic.distance(from: GeodeticCoordinate(90, 10), to: GeodeticCoordinate(90, -130))
        #expect(pole < 1e-9)
    }

    @Test("No detour is shorter than the direct path")
    func triangle() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<5000 {
            let (a, b, c) = (random.coordinate(), random.coordinate(), random.coordinate())
            let detour = Geodesic.distance(from: a, to: b) + Geodesic.distance(from: b, to: c)
            #expect(Geodesic.distance(from: a, to: c) <= detour + 1e-7, "\(a) \(b) \(c)")
        }
    }

    @Test("The midpoint of a path is half its length from both ends")
    func midpoint() {
        var random = SeededGenerator(seed: 4)
        for _ in 0..<2000 {
            let (a, b) = (random.coordinate(), random.coordinate())
            let path = Geodesic.inverse(from: a, to: b)
            let half = path.distance / 2
            let middle = Geodesic.direct(from: a, azimuth: path.initialAzimuth, distance: half).destination
            #expect(abs(Geodesic.distance(from: a, to: middle) - half) < 1e-7, "\(a) \(b)")
            #expect(abs(Geodesic.distance(from: middle, to: b) - half) < 1e-7, "\(a) \(b)")
        }
    }

    @Test("The inverse solution recovers the azimuth and distance of paths that are certainly shortest")
    func directThenInverse() {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<5000 {
            let start = random.coordinate()
            let azimuth = Double.random(in: -180...180, using: &random)
            let distance = pow(10, Double.random(in: 0...7, using: &random))
            let end = Geodesic.direct(from: start, azimuth: azimuth, distance: distance)
            let path = Geodesic.inverse(from: start, to: end.destination)
            #expect(abs(path.distance - distance) < 1e-7, "\(start) \(azimuth) \(distance)")
            // Near a pole, a rounding error of the start point also changes the azimuth.
            let lever = min(distance, 6_378_137 * cos(start.latitude * .pi / 180))
            #expect(angularDifference(path.initialAzimuth, azimuth) * lever < 1e-7, "\(start) \(azimuth) \(distance)")
        }
    }

    @Test("A negative distance leads in the opposite direction")
    func negativeDistance() {
        let start = GeodeticCoordinate(52, 13)
        let backward = Geodesic.direct(from: start, azimuth: 70, distance: -500_000)
        let reversed = Geodesic.direct(from: start, azimuth: -110, distance: 500_000)
        #expect(chord(backward.destination, reversed.destination) < 1e-7)
        #expect(abs(angularDifference(backward.finalAzimuth, reversed.finalAzimuth) - .pi) < 1e-12)
    }

    @Test("Following a meridian twice around the earth returns to the start")
    func roundTheEarth() {
        // Half a meridian ellipse is 20 003 931.4586254 m long (the greatest s12 in doi:10.5281/zenodo.32156).
        let start = GeodeticCoordinate(31, 7)
        let end = Geodesic.direct(from: start, azimuth: 0, distance: 4 * 20_003_931.4586254)
        #expect(chord(end.destination, start) < 1e-6)
        #expect(angularDifference(end.finalAzimuth, 0) < 1e-12)
    }

    @Test("North of the equator, the path between two points of one latitude bends north")
    func bendsTowardsThePole() {
        let path = Geodesic.inverse(from: GeodeticCoordinate(45, -30), to: GeodeticCoordinate(45, 30))
        #expect(path.initialAzimuth < 90 && path.finalAzimuth > 90)
        #expect(angularDifference(path.initialAzimuth + path.finalAzimuth, 180) < 1e-12)
    }

    @Test("The distance is continuous at the limit of the fast algorithm")
    func continuity() {
        for latitude in [-89.0, -60, 0, 45, 80] {
            for azimuth in [0.0, 30, 90, 135] {
                let start = GeodeticCoordinate(latitude, 12)
                for distance in stride(from: 19_990.0, through: 20_010, by: 0.5) {
                    let end = Geodesic.direct(from: start, azimuth: azimuth, distance: distance).destination
                    #expect(abs(Geodesic.distance(from: start, to: end) - distance) < 2e-8)
                }
            }
        }
    }
}
