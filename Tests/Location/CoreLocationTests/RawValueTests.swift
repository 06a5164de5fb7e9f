// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Testing

@Suite("Raw values and constants")
struct RawValueTests {
    @Test("Authorization statuses are numbered 0 to 4")
    func authorizationStatus() {
        #expect(CLAuthorizationStatus.notDetermined.rawValue == Int32(0))
        #expect(CLAuthorizationStatus.restricted.rawValue == 1)
        #expect(CLAuthorizationStatus.denied.rawValue == 2)
        #expect(CLAuthorizationStatus.authorizedAlways.rawValue == 3)
        #expect(CLAuthorizationStatus.authorizedWhenInUse.rawValue == 4)
        #expect(CLAuthorizationStatus(rawValue: 5) == nil)
    }

    @Test("Activity types are numbered from 1")
    func activityType() {
        let all: [CLActivityType] = [.other, .automotiveNavigation, .fitness, .otherNavigation, .airborne]
        #expect(all.map(\.rawValue) == [1, 2, 3, 4, 5])
        #expect(CLActivityType(rawValue: 0) == nil)
    }

    @Test("Device orientations have the numbers of UIDeviceOrientation")
    func deviceOrientation() {
        let all: [CLDeviceOrientation] = [
            .unknown, .portrait, .portraitUpsideDown, .landscapeLeft, .landscapeRight, .faceUp, .faceDown,
        ]
        #expect(all.map(\.rawValue) == [Int32](0...6))
    }

    @Test("Accuracy authorization, region states and proximities are numbered from 0")
    func othersFromZero() {
        #expect([CLAccuracyAuthorization.fullAccuracy, .reducedAccuracy].map(\.rawValue) == [0, 1])
        #expect([CLRegionState.unknown, .inside, .outside].map(\.rawValue) == [0, 1, 2])
        #expect([CLProximity.unknown, .immediate, .near, .far].map(\.rawValue) == [0, 1, 2, 3])
    }

    @Test("Constants have Apple's values")
    func constants() {
        #expect(kCLDistanceFilterNone == -1)
        #expect(kCLHeadingFilterNone == -1)
        #expect(kCLLocationAccuracyBestForNavigation == -2)
        #expect(kCLLocationAccuracyBest == -1)
        #expect(kCLLocationAccuracyNearestTenMeters == 10)
        #expect(kCLLocationAccuracyHundredMeters == 100)
        #expect(kCLLocationAccuracyKilometer == 1000)
        #expect(kCLLocationAccuracyThreeKilometers == 3000)
        #expect(kCLLocationAccuracyReduced == 6_380_000)
        #expect(CLLocationDistanceMax == .greatestFiniteMagnitude)
        #expect(CLTimeIntervalMax == .greatestFiniteMagnitude)
        #expect(kCLErrorDomain == "kCLErrorDomain")
    }
}
