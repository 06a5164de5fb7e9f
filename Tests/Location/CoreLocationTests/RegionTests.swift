// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Testing

@Suite("Regions")
struct RegionTests {
    let centre = CLLocationCoordinate2D(latitude: 0, longitude: 0)

    @Test("A region stores its values unchanged and initially notifies on entry and exit")
    func values() {
        let region = CLCircularRegion(center: .init(latitude: 95, longitude: -200), radius: 1e9, identifier: "huge")
        #expect(region.identifier == "huge")
        #expect(region.center.latitude == 95)
        #expect(region.center.longitude == -200)
        #expect(region.radius == 1e9)
        #expect(region.notifyOnEntry)
        #expect(region.notifyOnExit)
    }

    @Test("A region contains every point within its radius")
    func contains() {
        // 0.01 degrees of longitude at the equator are 1113 m.
        let region = CLCircularRegion(center: centre, radius: 1200, identifier: "a")
        #expect(region.contains(centre))
        #expect(region.contains(.init(latitude: 0, longitude: 0.01)))
        #expect(region.contains(.init(latitude: -0.01, longitude: 0)))
        #expect(!region.contains(.init(latitude: 0, longitude: 0.0125)))
        #expect(CLCircularRegion(center: centre, radius: 0, identifier: "b").contains(centre))
    }

    @Test("A region across the date line contains points on both sides")
    func dateLine() {
        let region = CLCircularRegion(center: .init(latitude: 0, longitude: 179.999), radius: 1000, identifier: "a")
        #expect(region.contains(.init(latitude: 0, longitude: -179.999)))
    }

    @Test("A negative or NaN radius contains no point", arguments: [-1, -.infinity, .nan, -0.001] as [Double])
    func noRadius(radius: Double) {
        #expect(!CLCircularRegion(center: centre, radius: radius, identifier: "a").contains(centre))
    }

    @Test("An invalid coordinate is in no region, and a region with an invalid centre contains nothing")
    func invalidCoordinates() {
        let region = CLCircularRegion(center: centre, radius: 1e9, identifier: "a")
        #expect(!region.contains(kCLLocationCoordinate2DInvalid))
        #expect(!region.contains(.init(latitude: .nan, longitude: 0)))
        let invalid = CLCircularRegion(center: kCLLocationCoordinate2DInvalid, radius: 1e9, identifier: "a")
        #expect(!invalid.contains(centre))
    }

    @Test("Regions are equal if their identifiers are equal")
    func equality() {
        let region = CLCircularRegion(center: centre, radius: 1, identifier: "a")
        let same = CLCircularRegion(center: .init(latitude: 5, longitude: 5), radius: 7, identifier: "a")
        let other = CLCircularRegion(center: centre, radius: 1, identifier: "b")
        #expect(region == same)
        #expect(region.hash == same.hash)
        #expect(region != other)
        #expect(Set<CLRegion>([region, same, other]).count == 2)
        #expect(!region.isEqual("a"))
    }

    @Test("A copy has the same values and is independent")
    func copy() throws {
        let region = CLCircularRegion(center: .init(latitude: 1, longitude: 2), radius: 3, identifier: "a")
        region.notifyOnExit = false
        let copy = try #require(region.copy() as? CLCircularRegion)
        #expect(copy !== region)
        #expect(copy.identifier == "a")
        #expect([copy.center.latitude, copy.center.longitude, copy.radius] == [1, 2, 3])
        #expect(copy.notifyOnEntry)
        #expect(!copy.notifyOnExit)
        copy.notifyOnEntry = false
        #expect(region.notifyOnEntry)
    }

    @Test("The description has decimal points")
    func description() {
        let region = CLCircularRegion(center: .init(latitude: 1.5, longitude: -2), radius: 3, identifier: "a")
        #expect(
            region.description
                == "CLCircularRegion (identifier:'a', center:<+1.50000000,-2.00000000>, radius:3.00m)"
        )
    }

    @Test("An empty region has no identifier and can be copied")
    func empty() {
        #expect(CLRegion().identifier.isEmpty)
        #expect(CLRegion().copy() is CLRegion)
    }
}
