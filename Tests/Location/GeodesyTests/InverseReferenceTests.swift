// SPDX-License-Identifier: Apache-2.0

import Foundation
import Geodesy
import Testing

/// Compares 10,800 pairs of points with geographiclib (PyPI), whose own error is about 15 nm.
@Suite("Inverse problem against geographiclib")
struct InverseReferenceTests {
    private static let lines = Result { try ReferenceFile.read("inverse.txt", columns: 8) }

    private static func points(_ line: ReferenceFile.Line) -> (GeodeticCoordinate, GeodeticCoordinate) {
        let v = line.values
        return (GeodeticCoordinate(v[0], v[1]), GeodeticCoordinate(v[2], v[3]))
    }

    @Test("The reference contains at least 10,000 pairs in eleven categories")
    func referenceIsComplete() throws {
        let lines = try Self.lines.get()
        #expect(lines.count >= 10_000)
        #expect(Set(lines.map(\.category)).count == 11)
    }

    @Test("Distances agree within 100 nanometres")
    func distances() throws {
        for line in try Self.lines.get() {
            let (start, end) = Self.points(line)
            let error = abs(Geodesic.inverse(from: start, to: end).distance - line.values[4])
            #expect(error < 1e-7, "\(line.text)")
        }
    }

    @Test("The fast distance agrees within 100 nanometres")
    func fastDistances() throws {
        for line in try Self.lines.get() {
            let (start, end) = Self.points(line)
            let error = abs(Geodesic.distance(from: start, to: end) - line.values[4])
            #expect(error < 1e-7, "\(line.text)")
        }
    }

    @Test("The fast distance is accurate to eleven digits below one millimetre")
    func tinyDistances() throws {
        let tiny = try Self.lines.get().filter { $0.category == "under a millimetre" }
        #expect(tiny.count == 500)
        for line in tiny {
            let (start, end) = Self.points(line)
            let error = abs(Geodesic.distance(from: start, to: end) / line.values[4] - 1)
            #expect(error < 5e-11, "\(line.text)")
        }
    }

    @Test("Azimuth errors displace the end point by less than 100 nanometres")
    func azimuths() throws {
        var compared = 0
        for line in try Self.lines.get() where !line.values[5].isNaN {
            let (start, end) = Self.points(line)
            let path = Geodesic.inverse(from: start, to: end)
            // The reduced length is the lateral displacement of the end point per radian of azimuth at the start. Where
            // it is nearly zero (antipodes), the round trip test below applies.
            let reducedLength = max(abs(line.values[7]), 0.001)
            #expect(angularDifference(path.initialAzimuth, line.values[5]) * reducedLength < 1e-7, "\(line.text)")
            #expect(angularDifference(path.finalAzimuth, line.values[6]) * reducedLength < 1e-7, "\(line.text)")
            compared += 1
        }
        #expect(compared > 10_000)
    }

    @Test("The inverse solution leads to the second point and back to the first")
    func roundTrip() throws {
        for line in try Self.lines.get() {
            let (start, end) = Self.points(line)
            let path = Geodesic.inverse(from: start, to: end)
            let forward = Geodesic.direct(from: start, azimuth: path.initialAzimuth, distance: path.distance)
            #expect(chord(forward.destination, end) < 1e-7, "\(line.text)")
            let backward = Geodesic.direct(from: end, azimuth: path.finalAzimuth + 180, distance: path.distance)
            #expect(chord(backward.destination, start) < 1e-7, "\(line.text)")
        }
    }
}
