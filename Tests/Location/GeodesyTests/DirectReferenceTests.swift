// SPDX-License-Identifier: Apache-2.0

import Foundation
import Geodesy
import Testing

/// Compares 1,500 paths with geographiclib (PyPI), from one metre to once around the earth, forward and backward.
@Suite("Direct problem against geographiclib")
struct DirectReferenceTests {
    @Test("Destinations and final azimuths agree within 100 nanometres")
    func destinations() throws {
        let lines = try ReferenceFile.read("direct.txt", columns: 7)
        #expect(lines.count >= 1500)
        for line in lines {
            let v = line.values
            let end = Geodesic.direct(from: GeodeticCoordinate(v[0], v[1]), azimuth: v[2], distance: v[3])
            let expected = GeodeticCoordinate(v[4], v[5])
            #expect(chord(end.destination, expected) < 1e-7, "\(line.text)")
            #expect(abs(end.destination.longitude) <= 180, "\(line.text)")
            // Azimuths are measured from the meridian, whose direction changes quickly near a pole.
            let fromAxis = 6_378_137 * cos(v[4] * .pi / 180)
            #expect(angularDifference(end.finalAzimuth, v[6]) * fromAxis < 1e-7, "\(line.text)")
        }
    }
}
