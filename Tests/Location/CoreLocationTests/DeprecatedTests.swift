// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Testing

@Suite("Deprecated API", .simulated)
struct DeprecatedTests {
    @available(*, deprecated)
    @Test("getDistanceFrom equals distance(from:)")
    func distance() {
        let a = CLLocation(latitude: 0, longitude: 0)
        let b = CLLocation(latitude: 0, longitude: 1)
        #expect(a.getDistanceFrom(b) == a.distance(from: b))
    }

    @available(*, deprecated)
    @Test("The authorized status equals authorizedAlways")
    func authorized() {
        #expect(CLAuthorizationStatus.authorized == .authorizedAlways)
    }

    @available(*, deprecated)
    @Test("A manager's headingAvailable equals the result of the class method")
    func headingAvailable() {
        #expect(CLLocationManager().headingAvailable == CLLocationManager.headingAvailable())
    }

    @available(*, deprecated)
    @Test("A CLRegion can be initialised as a circle")
    func region() throws {
        let region = CLRegion(
            circularRegionWithCenter: CLLocationCoordinate2D(latitude: 1, longitude: 2), radius: 500, identifier: "a"
        )
        #expect(region.identifier == "a")
        #expect(region.center.latitude == 1)
        #expect(region.center.longitude == 2)
        #expect(region.radius == 500)
        #expect(region.contains(CLLocationCoordinate2D(latitude: 1.001, longitude: 2)))
        #expect(!region.contains(CLLocationCoordinate2D(latitude: 1.01, longitude: 2)))
        let data = try NSKeyedArchiver.archivedData(withRootObject: region, requiringSecureCoding: true)
        let read = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: CLRegion.self, from: data))
        #expect(read.radius == 500)
        #expect((region.copy() as? CLRegion)?.center.longitude == 2)
    }

    @available(*, deprecated)
    @Test("A region without a shape has no centre and contains nothing")
    func emptyRegion() {
        #expect(!CLLocationCoordinate2DIsValid(CLRegion().center))
        #expect(CLRegion().radius == -1)
        #expect(!CLRegion().contains(CLLocationCoordinate2D()))
    }
}
