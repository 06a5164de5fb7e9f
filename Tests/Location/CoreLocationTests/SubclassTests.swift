// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Testing

/// Overrides every property, as test doubles in apps do.
private final class MadeUpLocation: CLLocation, @unchecked Sendable {
    let name: String

    init(name: String) {
        self.name = name
        super.init(latitude: 1, longitude: 2)
    }

    required init?(coder: NSCoder) {
        name = "decoded"
        super.init(coder: coder)
    }

    override var coordinate: CLLocationCoordinate2D { CLLocationCoordinate2D(latitude: 60, longitude: 1) }
    override var altitude: CLLocationDistance { 1 }
    override var ellipsoidalAltitude: CLLocationDistance { 2 }
    override var horizontalAccuracy: CLLocationAccuracy { 3 }
    override var verticalAccuracy: CLLocationAccuracy { 4 }
    override var course: CLLocationDirection { 5 }
    override var courseAccuracy: CLLocationDirectionAccuracy { 6 }
    override var speed: CLLocationSpeed { 7 }
    override var speedAccuracy: CLLocationSpeedAccuracy { 8 }
    override var timestamp: Date { Date(timeIntervalSinceReferenceDate: 0) }
    override var floor: CLFloor? { MadeUpFloor(level: -2) }
    override var sourceInformation: CLLocationSourceInformation? { nil }
}

/// Declares `init(level:)` without `override`, as apps do. `CLFloor` must not have a public initialiser of that form.
private final class MadeUpFloor: CLFloor, @unchecked Sendable {
    private let madeUpLevel: Int

    init(level: Int) {
        madeUpLevel = level
        super.init()
    }

    required init?(coder: NSCoder) { nil }

    override var level: Int { madeUpLevel }
}

private final class FarAway: CLLocation, @unchecked Sendable {
    override func distance(from location: CLLocation) -> CLLocationDistance { 42 }
}

private final class Everywhere: CLCircularRegion, @unchecked Sendable {
    override var identifier: String { "everywhere" }
    override func contains(_ coordinate: CLLocationCoordinate2D) -> Bool { true }
}

@Suite("Subclasses of Core Location types")
struct SubclassTests {
    @Test("Every property of a location can be overridden")
    func location() {
        let location: CLLocation = MadeUpLocation(name: "test")
        #expect(location.coordinate.latitude == 60)
        #expect([location.altitude, location.ellipsoidalAltitude] == [1, 2])
        #expect([location.horizontalAccuracy, location.verticalAccuracy] == [3, 4])
        #expect([location.course, location.courseAccuracy, location.speed, location.speedAccuracy] == [5, 6, 7, 8])
        #expect(location.timestamp.timeIntervalSinceReferenceDate == 0)
        #expect(location.floor?.level == -2)
        #expect(location.sourceInformation == nil)
    }

    @Test("Distance and description use overridden properties")
    func derived() {
        let location = MadeUpLocation(name: "test")
        #expect(abs(location.distance(from: CLLocation(latitude: 60, longitude: 2)) - 55_800) < 300)
        #expect(
            location.description
                == "<+60.00000000,+1.00000000> +/- 3.00m (speed 7.00 mps / course 5.00) @ 2001-01-01 00:00:00 +0000"
        )
    }

    @Test("A subclass without additions inherits the initialisers, and methods can be overridden")
    func inherited() {
        let location: CLLocation = FarAway(latitude: 1, longitude: 1)
        #expect(location.distance(from: location) == 42)
        let region: CLCircularRegion = Everywhere(center: .init(), radius: -1, identifier: "x")
        #expect(region.contains(kCLLocationCoordinate2DInvalid))
        #expect(region == CLCircularRegion(center: .init(), radius: 1, identifier: "everywhere"))
    }

    @Test("A copy of a subclass keeps its type")
    func copy() {
        #expect((MadeUpLocation(name: "test").copy() as? MadeUpLocation)?.name == "test")
    }
}
