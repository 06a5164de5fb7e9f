// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Testing

@Suite("CLLocation")
struct LocationTests {
    let coordinate = CLLocationCoordinate2D(latitude: 37.33, longitude: -122.03)
    let date = Date(timeIntervalSinceReferenceDate: 700_000_000.25)

    @Test("A location from latitude and longitude has Apple's defaults and the current time")
    func latitudeLongitude() {
        let before = Date()
        let location = CLLocation(latitude: 48.5, longitude: 9.25)
        let after = Date()
        #expect(location.coordinate.latitude == 48.5)
        #expect(location.coordinate.longitude == 9.25)
        #expect(location.altitude == 0)
        #expect(location.ellipsoidalAltitude == 0)
        #expect(location.horizontalAccuracy == 0)
        #expect(location.verticalAccuracy == -1)
        #expect(location.course == -1)
        #expect(location.courseAccuracy == -1)
        #expect(location.speed == -1)
        #expect(location.speedAccuracy == -1)
        #expect((before...after).contains(location.timestamp))
        #expect(location.floor == nil)
        #expect(location.sourceInformation?.isSimulatedBySoftware == false)
        #expect(location.sourceInformation?.isProducedByAccessory == false)
    }

    @Test("A location without motion has a course and speed of -1")
    func withoutMovement() {
        let location = CLLocation(
            coordinate: coordinate, altitude: 12, horizontalAccuracy: 5, verticalAccuracy: 8, timestamp: date
        )
        #expect(location.coordinate.longitude == -122.03)
        #expect(location.altitude == 12)
        #expect(location.horizontalAccuracy == 5)
        #expect(location.verticalAccuracy == 8)
        #expect(
            [location.course, location.courseAccuracy, location.speed, location.speedAccuracy] == [-1, -1, -1, -1])
        #expect(location.timestamp == date)
        #expect(location.sourceInformation != nil)
    }

    @Test("A location with motion has course and speed accuracies of -1 unless they are given")
    func withMovement() {
        let plain = CLLocation(
            coordinate: coordinate, altitude: 12, horizontalAccuracy: 5, verticalAccuracy: 8,
            course: 90, speed: 1, timestamp: date
        )
        #expect([plain.course, plain.courseAccuracy, plain.speed, plain.speedAccuracy] == [90, -1, 1, -1])
        let full = CLLocation(
            coordinate: coordinate, altitude: 12, horizontalAccuracy: 5, verticalAccuracy: 8,
            course: 90, courseAccuracy: 2, speed: 1, speedAccuracy: 0.5, timestamp: date
        )
        #expect([full.course, full.courseAccuracy, full.speed, full.speedAccuracy] == [90, 2, 1, 0.5])
        #expect(full.sourceInformation?.isSimulatedBySoftware == false)
    }

    @Test("Source information is kept", arguments: [(true, false), (false, true), (true, true), (false, false)])
    func sourceInformation(simulated: Bool, accessory: Bool) {
        let location = CLLocation(
            coordinate: coordinate, altitude: 12, horizontalAccuracy: 5, verticalAccuracy: 8,
            course: 90, courseAccuracy: 2, speed: 1, speedAccuracy: 0.5, timestamp: date,
            sourceInfo: CLLocationSourceInformation(
                softwareSimulationState: simulated, andExternalAccessoryState: accessory
            )
        )
        #expect(location.sourceInformation?.isSimulatedBySoftware == simulated)
        #expect(location.sourceInformation?.isProducedByAccessory == accessory)
        #expect([location.altitude, location.horizontalAccuracy, location.verticalAccuracy] == [12, 5, 8])
    }

    @Test("An empty location is invalid")
    func empty() {
        #expect(CLLocation().horizontalAccuracy < 0)
        #expect(CLLocation().verticalAccuracy < 0)
    }

    @Test("Impossible values are stored unchanged")
    func unchecked() {
        let location = CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: 500, longitude: .nan), altitude: -.infinity,
            horizontalAccuracy: -7, verticalAccuracy: .nan, course: 720, speed: -3, timestamp: .distantPast
        )
        #expect(location.coordinate.latitude == 500)
        #expect(location.coordinate.longitude.isNaN)
        #expect(location.altitude == -.infinity)
        #expect(location.horizontalAccuracy == -7)
        #expect(location.course == 720)
        #expect(location.timestamp == .distantPast)
    }

    @Test("A degree of longitude is about 111.3 km at the equator and half of that at 60 degrees north")
    func distance() {
        let origin = CLLocation(latitude: 0, longitude: 0)
        let east = CLLocation(latitude: 0, longitude: 1)
        #expect(abs(origin.distance(from: east) - 111_319) < 400)
        #expect(origin.distance(from: east) == east.distance(from: origin))
        let north = CLLocation(latitude: 60, longitude: 0).distance(from: CLLocation(latitude: 60, longitude: 1))
        #expect(abs(north - 55_800) < 300)
        #expect(origin.distance(from: origin) == 0)
    }

    @Test("Distances ignore the altitude")
    func distanceIgnoresAltitude() {
        let low = CLLocation(
            coordinate: coordinate, altitude: 0, horizontalAccuracy: 5, verticalAccuracy: 8, timestamp: date
        )
        let high = CLLocation(
            coordinate: coordinate, altitude: 9000, horizontalAccuracy: 5, verticalAccuracy: 8, timestamp: date
        )
        #expect(low.distance(from: high) == 0)
    }

    @Test("The description has Apple's format, with decimal points")
    func description() {
        let location = CLLocation(
            coordinate: coordinate, altitude: 12, horizontalAccuracy: 5, verticalAccuracy: 8,
            course: 90, speed: 1, timestamp: Date(timeIntervalSince1970: 1_700_000_000)
        )
        // `date -u -d @1700000000` prints Tue Nov 14 22:13:20 UTC 2023.
        #expect(
            location.description
                == "<+37.33000000,-122.03000000> +/- 5.00m (speed 1.00 mps / course 90.00) @ 2023-11-14 22:13:20 +0000"
        )
    }

    @Test("A location with impossible values has a description", arguments: [Double.nan, .infinity, -.infinity, 1e300])
    func descriptionOfImpossibleValues(value: Double) {
        let location = CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: value, longitude: value), altitude: value,
            horizontalAccuracy: value, verticalAccuracy: value, course: value, speed: value,
            timestamp: Date(timeIntervalSinceReferenceDate: value)
        )
        #expect(location.description.hasPrefix("<"))
    }

    @Test("A copy is the same object, and equality is identity")
    func copyAndEquality() {
        let location = CLLocation(latitude: 1, longitude: 2)
        #expect(location.copy() as AnyObject === location)
        #expect(location == location)
        #expect(location != CLLocation(latitude: 1, longitude: 2))
    }

    @Test("The position report of a location that an app created contains only valid values")
    func positionReport() {
        let moving = CLLocation(
            coordinate: coordinate, altitude: 12, horizontalAccuracy: 5, verticalAccuracy: 8, course: 90,
            courseAccuracy: 2,
            speed: 1.5, speedAccuracy: 0.5, timestamp: Date(timeIntervalSince1970: 1_700_000_000.2))
        let report = moving.positionReport
        #expect(report.mode == .threeDimensional && report.hasFix)
        // The Double nearest to 1700000000.2 is 1700000000.2000000477.
        #expect(report.time == WallTime(nanoseconds: 1_700_000_000_200_000_000))
        #expect([report.latitude, report.longitude, report.horizontalError] == [37.33, -122.03, 5])
        #expect([report.altitudeMSL, report.verticalError] == [12, 8])
        #expect([report.speed, report.speedError, report.track, report.trackError] == [1.5, 0.5, 90, 2])
        let bare = CLLocation(latitude: 1, longitude: 2).positionReport
        #expect(bare.mode == .twoDimensional && bare.horizontalError == 0)
        let isSilent = [bare.altitudeMSL, bare.verticalError, bare.speed, bare.track].allSatisfy { $0.isNaN }
        #expect(isSilent)
        #expect(!CLLocation().positionReport.hasFix)
        let impossible = CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: .nan, longitude: 1e300), altitude: .nan,
            horizontalAccuracy: .nan,
            verticalAccuracy: .nan, course: .nan, speed: .nan, timestamp: Date(timeIntervalSinceReferenceDate: .nan))
        #expect(!impossible.positionReport.hasFix && impossible.positionReport.time == nil)
    }

    @Test("A location can be sent to another task")
    func sendable() async {
        let location = CLLocation(latitude: 1, longitude: 2)
        let latitude = await Task.detached { location.coordinate.latitude }.value
        #expect(latitude == 1)
    }
}
