// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import SimulatedDevice
import Synchronization
import Testing

@Suite("Order of authorization requests")
struct AuthorizationOrderTests {
    /// A policy that keeps its requests until the test answers them.
    final class Later: LocationPolicy, @unchecked Sendable {
        private let state = Mutex<[(LocationAccessRequest.Kind, @Sendable (LocationAnswer) -> Void)]>([])
        var kinds: [LocationAccessRequest.Kind] { state.withLock { $0.map(\.0) } }
        func decide(_ request: LocationAccessRequest, answer: @escaping @Sendable (LocationAnswer) -> Void) {
            state.withLock { $0.append((request.kind, answer)) }
        }
        func answer(_ index: Int, _ answer: LocationAnswer) {
            let closure = state.withLock { $0.indices.contains(index) ? $0[index].1 : nil }
            closure?(answer)
        }
    }

    private func drive(_ rule: LocationRule = .ask, reduced: Bool = false) throws -> SimulatedDevice {
        var configuration = Configuration()
        configuration.locationRule = Setting(rule, origin: .program)
        configuration.reducesAccuracy = Setting(reduced, origin: .program)
        return try Drives.device(
            (0..<10).map { Drives.report(Double($0), latitude: 48 + Double($0)) }, configuration: configuration)
    }

    @Test("A request made while a start is undecided is asked next if the start remains undecided")
    func asksNextRequest() throws {
        let device = try drive()
        let recorder = Recorder()
        let policy = Later()
        device.use {
            LocationAuthorization.current.policy = policy
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.startUpdatingLocation()
            manager.requestWhenInUseAuthorization()
            device.step()
            policy.answer(0, .leaveUndecided)
            policy.answer(1, .grant)
            device.step()
        }
        #expect(policy.kinds == [.start, .whenInUse])
        #expect(recorder.events == ["authorization 0", "authorization 4", "location 49.0"])
    }

    @Test("A session that also needs full accuracy requests it after the first answer")
    func sessionAsksForBoth() throws {
        let device = try drive(reduced: true)
        let policy = Later()
        device.use {
            LocationAuthorization.current.policy = policy
            let session = CLServiceSession(authorization: .whenInUse, fullAccuracyPurposeKey: "map")
            policy.answer(0, .grant)
            #expect(policy.kinds == [.whenInUse, .temporaryFullAccuracy(purposeKey: "map")])
            policy.answer(1, .grant)
            #expect(LocationAuthorization.current.accuracy == .fullAccuracy)
            withExtendedLifetime(session) {}
        }
    }

    @Test("A policy that drops a request leaves it undecided")
    func droppedRequest() throws {
        struct Forgetful: LocationPolicy {
            func decide(_ request: LocationAccessRequest, answer: @escaping @Sendable (LocationAnswer) -> Void) {}
        }
        let device = try drive(.always, reduced: true)
        device.use {
            LocationAuthorization.current.policy = Forgetful()
            let manager = CLLocationManager()
            let done = Mutex(0)
            manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "x") { _ in done.withLock { $0 += 1 } }
            #expect(done.withLock { $0 } == 1)
        }
    }

    @Test("A policy that is replaced leaves its pending request undecided")
    func replacedPolicy() throws {
        let device = try drive()
        let policy = Later()
        device.use {
            LocationAuthorization.current.policy = Later()
            let manager = CLLocationManager()
            manager.requestWhenInUseAuthorization()
            LocationAuthorization.current.policy = policy
            #expect(manager.authorizationStatus == .notDetermined)
            manager.requestWhenInUseAuthorization()
            #expect(policy.kinds == [.whenInUse])
        }
    }

    @Test("Pending requests that a denial settles are not passed to the policy")
    func pendingRequestsAreAnswered() throws {
        let device = try drive()
        let policy = Later()
        device.use {
            LocationAuthorization.current.policy = policy
            let manager = CLLocationManager()
            manager.requestWhenInUseAuthorization()
            manager.requestWhenInUseAuthorization()
            manager.startUpdatingLocation()
            policy.answer(0, .deny)
            #expect(policy.kinds == [.whenInUse])
            #expect(manager.authorizationStatus == .denied)
        }
    }

    @Test("Managers are notified of a change in the order of their creation")
    func notifiesInOrder() throws {
        let device = try drive(.always)
        final class Named: NSObject, CLLocationManagerDelegate, @unchecked Sendable {
            let number: Int
            let log: (Int) -> Void
            init(_ number: Int, _ log: @escaping (Int) -> Void) { (self.number, self.log) = (number, log) }
            func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) { log(number) }
        }
        nonisolated(unsafe) var notified: [Int] = []
        device.use {
            let delegates = (0..<16).map { number in Named(number) { notified.append($0) } }
            let managers = delegates.map { delegate in
                let manager = CLLocationManager()
                manager.delegate = delegate
                return manager
            }
            device.step()
            notified = []
            LocationAuthorization.current.status = .denied
            device.step()
            withExtendedLifetime((managers, delegates)) {}
        }
        #expect(notified == Array(0..<16))
    }

    @Test("While location services are off, a change of the status is not reported")
    func hiddenChange() throws {
        let device = try drive(.always)
        let recorder = Recorder()
        device.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.startUpdatingLocation()
            device.step()
            LocationAuthorization.current.servicesEnabled = false
            device.step()
            LocationAuthorization.current.status = .authorizedWhenInUse
            LocationAuthorization.current.accuracy = .reducedAccuracy
            device.step()
        }
        #expect(recorder.events.filter { $0 == "error 1" }.count == 1)
    }

    @Test("A location request that waits for authorization gets its one result afterwards")
    func requestWaitsForAnswer() throws {
        let device = try drive()
        let recorder = Recorder()
        let policy = Later()
        try device.use {
            LocationAuthorization.current.policy = policy
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.requestLocation()
            device.step()
            let thread = Thread { policy.answer(0, .grant) }
            thread.start()
            while manager.authorizationStatus == .notDetermined {}
            while !thread.isFinished {}
            try device.play()
        }
        #expect(recorder.events == ["authorization 0", "authorization 4", "location 49.0"])
    }

    @Test("A queued result of a location request is not delivered after access is revoked")
    func revokedResult() throws {
        let device = try drive(.always)
        let recorder = Recorder()
        device.use {
            let other = CLLocationManager()
            other.startUpdatingLocation()
            device.step()
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.requestLocation()
            LocationAuthorization.current.status = .denied
            device.step()
            withExtendedLifetime(other) {}
        }
        #expect(recorder.events.filter { $0.hasPrefix("location") } == [])
        #expect(recorder.events.filter { $0 == "error 1" }.count == 1)
    }
}
