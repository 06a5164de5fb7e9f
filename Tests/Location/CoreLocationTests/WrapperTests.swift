// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Testing

/// An app's protocol for a manager, written for Apple's without `@Sendable`.
private protocol FullAccuracyAsker {
    func requestTemporaryFullAccuracyAuthorization(
        withPurposeKey purposeKey: String, completion: (((any Error)?) -> Void)?)
}

extension CLLocationManager: FullAccuracyAsker {}

/// The same protocol, written for Swift 6.
private protocol SendableAsker {
    func requestTemporaryFullAccuracyAuthorization(
        withPurposeKey purposeKey: String, completion: (@Sendable ((any Error)?) -> Void)?)
}

extension CLLocationManager: SendableAsker {}

/// A value that contains regions and is passed between tasks.
private enum Fence: Sendable {
    case any(CLRegion)
    case circle(CLCircularRegion)
}

@Suite("Wrappers in apps", .simulated)
struct WrapperTests {
    @Test("A manager conforms to app protocols with and without @Sendable")
    func protocols() {
        let manager = CLLocationManager()
        LocationAuthorization.current.accuracy = .reducedAccuracy
        var answers: [Bool] = []
        (manager as any FullAccuracyAsker).requestTemporaryFullAccuracyAuthorization(withPurposeKey: "test") { error in
            answers.append(error == nil)
        }
        (manager as any SendableAsker).requestTemporaryFullAccuracyAuthorization(
            withPurposeKey: "test", completion: nil)
        #expect(answers == [true])
        #expect(LocationAuthorization.current.accuracy == .fullAccuracy)
    }

    @Test("Regions can be sent between tasks")
    func sendable() async {
        let region = CLCircularRegion(center: .init(latitude: 1, longitude: 2), radius: 3, identifier: "a")
        let fence = Fence.circle(region)
        let radius = await Task { () -> Double in
            if case .circle(let region) = fence { return region.radius }
            return 0
        }.value
        #expect(radius == 3)
        region.notifyOnEntry = false
        #expect(!region.notifyOnEntry && region.notifyOnExit)
    }
}
