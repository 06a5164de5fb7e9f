// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Testing

/// Records the calls of the current delegate methods.
private final class NewDelegate: NSObject, CLLocationManagerDelegate {
    var calls: [String] = []

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        calls.append("locations \(locations.map(\.coordinate.latitude))")
    }

    func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
        calls.append("heading \(newHeading.headingAccuracy)")
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        calls.append("error \((error as NSError).code)")
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        calls.append("authorization")
    }

    func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus) {
        calls.append("old authorization")
    }

    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
        calls.append("enter \(region.identifier)")
    }

    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
        calls.append("exit \(region.identifier)")
    }

    func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {
        calls.append("start \(region.identifier)")
    }

    func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion) {
        calls.append("state \(state.rawValue) \(region.identifier)")
    }

    func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
    ) {
        calls.append("monitoring \(region?.identifier ?? "-")")
    }

    func locationManager(_ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?) {
        calls.append("deferred \(error == nil)")
    }

    func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) {
        calls.append("pause")
    }

    func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) {
        calls.append("resume")
    }

    func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool { true }
}

/// Implements the delegate methods of the first iPhone OS releases.
private final class OldDelegate: NSObject, CLLocationManagerDelegate {
    var steps: [[Double]] = []
    var statuses: [CLAuthorizationStatus] = []

    func locationManager(
        _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation, from oldLocation: CLLocation
    ) {
        steps.append([oldLocation.coordinate.latitude, newLocation.coordinate.latitude])
    }

    func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus) {
        statuses.append(status)
    }
}

private final class SilentDelegate: NSObject, CLLocationManagerDelegate {}

/// A wrapper with a stored property that is named like the delegate methods, as in most published apps.
private final class Service: NSObject, CLLocationManagerDelegate {
    private let locationManager = CLLocationManager()
    private(set) var count = 0

    override init() {
        super.init()
        locationManager.delegate = self
        self.locationManager.delegate = self
    }

    var ownManager: CLLocationManager { locationManager }

    func pretend(_ locations: [CLLocation]) {
        locationManager.delegate?.locationManager?(locationManager, didUpdateLocations: locations)
        locationManager(locationManager, didUpdateLocations: locations)
        let closure = { [weak self] in self?.locationManager.delegate != nil }
        if closure() { count += 100 }
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        count += locations.count
    }
}

/// A wrapper with an optional property that is set later.
private final class LateService: NSObject {
    private var locationManager: CLLocationManager?
    private lazy var other = CLLocationManager()

    func start() -> Bool {
        locationManager = other
        locationManager?.delegate = self
        guard let locationManager = locationManager else { return false }
        return locationManager.delegate === self && self.locationManager?.delegate === self
    }
}

extension LateService: CLLocationManagerDelegate {}

/// A superclass that has the property but is not a delegate.
private class Base: NSObject {
    var locationManager = CLLocationManager()
}

private final class Derived: Base, CLLocationManagerDelegate {
    func start() -> Bool {
        locationManager.delegate = self
        return self.locationManager.delegate === self
    }
}

/// An app's abstraction of the manager, with a requirement of the same name.
private protocol HasManager {
    var locationManager: CLLocationManager { get }
}

private final class Abstracted: NSObject, HasManager, CLLocationManagerDelegate {
    let locationManager = CLLocationManager()
}

/// A test double of the manager that calls its delegate as published test doubles do.
private final class MadeUpManager: CLLocationManager {
    func feed(_ location: CLLocation) {
        delegate?.locationManager?(self, didUpdateLocations: [location])
    }

    func feedAll(_ region: CLRegion) {
        delegate?.locationManager?(self, didUpdateHeading: CLHeading())
        delegate?.locationManager?(self, didFailWithError: CLError(.network))
        delegate?.locationManagerDidChangeAuthorization?(self)
        delegate?.locationManager?(self, didEnterRegion: region)
        delegate?.locationManager?(self, didExitRegion: region)
        delegate?.locationManager?(self, didStartMonitoringFor: region)
        delegate?.locationManager?(self, didDetermineState: .inside, for: region)
        delegate?.locationManager?(self, monitoringDidFailFor: nil, withError: CLError(.regionMonitoringFailure))
        delegate?.locationManager?(self, didFinishDeferredUpdatesWithError: nil)
        delegate?.locationManagerDidPauseLocationUpdates?(self)
        delegate?.locationManagerDidResumeLocationUpdates?(self)
    }
}

@Suite("Delegate calls", .simulated)
struct DelegateTests {
    @Test("Optional-chaining calls reach each delegate method")
    func optionalCalls() {
        let delegate = NewDelegate()
        let manager = MadeUpManager()
        manager.delegate = delegate
        manager.feed(CLLocation(latitude: 1, longitude: 2))
        manager.feedAll(CLCircularRegion(center: CLLocationCoordinate2D(), radius: 1, identifier: "r"))
        #expect(
            delegate.calls == [
                "locations [1.0]", "heading -1.0", "error 2", "authorization", "enter r", "exit r", "start r",
                "state 1 r",
                "monitoring -", "deferred true", "pause", "resume",
            ]
        )
        #expect(manager.delegate?.locationManagerShouldDisplayHeadingCalibration?(manager) == true)
    }

    @Test("The same delegate methods can be called without optional chaining")
    func plainCalls() {
        let delegate = NewDelegate()
        let manager = CLLocationManager()
        manager.delegate = delegate
        manager.delegate?.locationManager(manager, didUpdateLocations: [CLLocation(latitude: 3, longitude: 0)])
        manager.delegate?.locationManagerDidChangeAuthorization(manager)
        delegate.locationManager(manager, didFailWithError: CLError(.denied))
        delegate.locationManager?(manager, didFailWithError: CLError(.denied))
        #expect(delegate.calls == ["locations [3.0]", "authorization", "error 1", "error 1"])
    }

    @Test("An optional-chaining call does nothing without a delegate or an implementation")
    func noDelegate() {
        let manager = MadeUpManager()
        manager.feed(CLLocation(latitude: 1, longitude: 2))
        #expect(manager.delegate?.locationManagerShouldDisplayHeadingCalibration?(manager) == nil)
        let silent = SilentDelegate()
        manager.delegate = silent
        manager.feed(CLLocation(latitude: 1, longitude: 2))
        manager.feedAll(CLRegion())
        #expect(manager.delegate?.locationManagerShouldDisplayHeadingCalibration?(manager) == false)
    }

    @Test("A delegate with the old method receives each location with the previous one")
    func oldForm() {
        let delegate = OldDelegate()
        let manager = MadeUpManager()
        manager.delegate = delegate
        let locations = [1.0, 2, 3].map { CLLocation(latitude: $0, longitude: 0) }
        manager.delegate?.locationManager(manager, didUpdateLocations: locations)
        #expect(delegate.steps == [[1, 1], [1, 2], [2, 3]])
        manager.delegate?.locationManagerDidChangeAuthorization(manager)
        #expect(delegate.statuses == [.notDetermined])
    }

    @Test("A class's own locationManager property takes precedence over the protocol's")
    func ownProperty() {
        let service = Service()
        service.pretend([CLLocation(latitude: 1, longitude: 2)])
        #expect(service.count == 102)
        #expect(service.ownManager.delegate === service)
        #expect(LateService().start())
        #expect(Derived().start())
        let abstracted: any HasManager = Abstracted()
        abstracted.locationManager.delegate = nil
        #expect(abstracted.locationManager.delegate == nil)
    }
}
