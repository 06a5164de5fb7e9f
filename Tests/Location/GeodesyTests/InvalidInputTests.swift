// SPDX-License-Identifier: Apache-2.0

import Geodesy
import Testing

@Suite("Invalid input of geodesic problems")
struct InvalidInputTests {
    private static let bad: [GeodeticCoordinate] = [
        GeodeticCoordinate(.nan, 0), GeodeticCoordinate(0, .nan), GeodeticCoordinate(.infinity, 0),
        GeodeticCoordinate(0, -.infinity), GeodeticCoordinate(90.0000001, 0), GeodeticCoordinate(-91, 0),
        GeodeticCoordinate(1e300, 1e300),
    ]

    @Test("An invalid point yields NaN in all results", arguments: bad)
    func invalidPoint(_ point: GeodeticCoordinate) {
        let good = GeodeticCoordinate(48, 11)
        #expect(!point.isValid)
        #expect(good.isValid)
        #expect(Geodesic.distance(from: point, to: good).isNaN)
        #expect(Geodesic.distance(from: good, to: point).isNaN)
        #expect(Geodesic.distance(from: point, to: point).isNaN)
        for path in [Geodesic.inverse(from: point, to: good), Geodesic.inverse(from: good, to: point)] {
            #expect(path.distance.isNaN && path.initialAzimuth.isNaN && path.finalAzimuth.isNaN)
        }
        let end = Geodesic.direct(from: point, azimuth: 10, distance: 10)
        #expect(end.destination.latitude.isNaN && end.destination.longitude.isNaN && end.finalAzimuth.isNaN)
    }

    @Test("An azimuth or distance that is not finite yields NaN", arguments: [Double.nan, .infinity, -.infinity])
    func invalidDirection(_ value: Double) {
        let start = GeodeticCoordinate(48, 11)
        let first = Geodesic.direct(from: start, azimuth: value, distance: 10)
        let second = Geodesic.direct(from: start, azimuth: 10, distance: value)
        for end in [first, second] {
            #expect(end.destination.latitude.isNaN && end.destination.longitude.isNaN && end.finalAzimuth.isNaN)
        }
    }

    @Test("Longitudes beyond 180 degrees are taken modulo 360")
    func wideLongitudes() {
        let origin = GeodeticCoordinate(40, 0)
        let expected = Geodesic.distance(from: origin, to: GeodeticCoordinate(50, -170))
        #expect(Geodesic.distance(from: origin, to: GeodeticCoordinate(50, 190)) == expected)
        #expect(Geodesic.distance(from: origin, to: GeodeticCoordinate(50, 190 - 3600)) == expected)
    }

    @Test("Extreme but valid values yield valid solutions of both problems")
    func extremes() {
        let latitudes = [
            0, -0.0, Double.leastNonzeroMagnitude, -Double.leastNonzeroMagnitude, 1e-300, 1e-18, -1e-18, 1e-9, 0.5, 45,
            89.999999999999, 90, -90,
            Double(90).nextDown, -Double(90).nextDown,
        ]
        let longitudes = [
            0, -0.0, Double.leastNonzeroMagnitude, -1e-300, 1e-18, 3e-16, -3e-16, 1e-9, 90, 179.4, 179.9999999999,
            Double(180).nextDown, 180, -180,
            Double(180).nextUp, 360, 1e18, -1e300,
        ]
        for lat1 in latitudes {
            for lat2 in latitudes {
                for lon in longitudes.flatMap({ [(0.0, $0), (180.0, $0), (-180.0, $0), ($0, 1e-300)] }) {
                    let start = GeodeticCoordinate(lat1, lon.0)
                    let end = GeodeticCoordinate(lat2, lon.1)
                    let path = Geodesic.inverse(from: start, to: end)
                    // No two points are farther apart than the poles.
                    #expect(path.distance >= 0 && path.distance <= 20_003_931.458_626, "\(start) \(end)")
                    #expect(abs(path.initialAzimuth) <= 180 && abs(path.finalAzimuth) <= 180, "\(start) \(end)")
                    #expect(abs(Geodesic.distance(from: start, to: end) - path.distance) < 1e-7, "\(start) \(end)")
                    let expectedPath = Geodesic.direct(
                        from: start, azimuth: path.initialAzimuth, distance: path.distance
                    ).destination
                    let expected = GeodeticCoordinate(lat2, lon.1.remainder(dividingBy: 360))
                    #expect(chord(expectedPath, expected) < 1e-7, "\(start) \(end)")
                }
            }
        }
        for distance in [1e12, -1e18, 1e300, Double.leastNonzeroMagnitude] {
            let end = Geodesic.direct(from: GeodeticCoordinate(10, 1e6), azimuth: 1e9, distance: distance).destination
            #expect(end.isValid && abs(end.longitude) <= 180, "\(distance)")
        }
    }
}
