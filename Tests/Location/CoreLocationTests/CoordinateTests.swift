// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Testing

@Suite("CLLocationCoordinate2D")
struct CoordinateTests {
    @Test(
        "Coordinates at the poles and on the date line are valid",
        arguments: [(0.0, 0.0), (90, 0), (-90, 0), (0, 180), (0, -180), (-0.0, -0.0)] as [(Double, Double)]
    )
    func valid(latitude: Double, longitude: Double) {
        #expect(CLLocationCoordinate2DIsValid(CLLocationCoordinate2DMake(latitude, longitude)))
    }

    @Test(
        "Coordinates beyond the poles or the date line and non-finite coordinates are invalid",
        arguments: [
            (90.0.nextUp, 0), (-90.0.nextUp - 1, 0), (0, 180.0.nextUp), (0, -180.5), (.nan, 0), (0, .nan),
            (.infinity, 0), (0, -.infinity),
        ] as [(Double, Double)]
    )
    func invalid(latitude: Double, longitude: Double) {
        #expect(!CLLocationCoordinate2DIsValid(CLLocationCoordinate2DMake(latitude, longitude)))
    }

    @Test("kCLLocationCoordinate2DInvalid is invalid")
    func invalidConstant() {
        #expect(!CLLocationCoordinate2DIsValid(kCLLocationCoordinate2DInvalid))
    }

    @Test("Coordinates are not clamped, and the empty initialiser yields zeros")
    func storage() {
        var coordinate = CLLocationCoordinate2D(latitude: 1234.5, longitude: -9876.5)
        #expect(coordinate.latitude == 1234.5)
        #expect(coordinate.longitude == -9876.5)
        coordinate.latitude = 1
        #expect(coordinate.latitude == 1)
        #expect(CLLocationCoordinate2D().latitude == 0)
        #expect(CLLocationCoordinate2D().longitude == 0)
    }
}
