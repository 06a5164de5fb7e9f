// SPDX-License-Identifier: Apache-2.0

import Foundation
import Geodesy
import Testing

/// 1,500 paths against geographiclib (PyPI), from a metre to once round the earth, forward and backward.
@Suite("Direct problem against geographiclib")
struct DirectReferenceTests {
    @Test("Destinations agree within 100 nanometres, and so do the directions there")
    func destinations() throws {
        let lines = try ReferenceFile.read("direct.txt", columns: 7)
        #expect(lines.count >= 1500)
        for line in lines {
            let v = line.values
            let end = Geodesic.direct(from: GeodeticCoordinate(v[0], v[1]), azimuth: v[2], distance: v[3])
            let expected = GeodeticCoordinate(v[4], v[5])
            #expect(chord(end.destination, expected) < 1e-7, "\(line.text)")
            #expect(abs(end.destination.longitude) <= 180, "\(line.text)")
            // Directions are counted from a meridian, which turns with every step beside a pole.
            let fromAxis = 6_378_137 * cos(v[4] * .pi / 180)
            #expect(turn(end.finalAzimuth, v[6]) * fromAxis < 1e-7, "\(line.text)")
        }
    }
}
