// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LiveDevice

/// An object that delivers the device's position to a delegate.
///
/// Create a manager, keep a strong reference to it, set its delegate, and start a service. On Linux, gpsd provides the
/// positions. Linux-only properties such as `receiver` cover features that Apple's API lacks.
///
/// ```swift
/// final class Tracker: NSObject, CLLocationManagerDelegate {
///     let manager = CLLocationManager()
///
///     func start() {
///         manager.delegate = self
///         manager.requestWhenInUseAuthorization()
///         manager.startUpdatingLocation()
///     }
///
///     func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
///         print(locations.last?.coordinate as Any)
///     }
/// }
/// ```
///
/// **Callback context.** A manager created on the main thread or main actor calls its delegate on the main dispatch
/// queue. `RunLoop.main.run()`, `dispatchMain()` and an async `main` all serve this queue. On Linux, `dispatchMain()`
/// and an async `main` run the queue on threads other than the main thread. A manager created in a task or on another
/// dispatch queue uses a private serial queue. A manager created on any other thread uses that thread's run loop, which
/// must be running. Set `delegateQueue` to use a different queue. Callbacks never run inside a call that starts a
/// service. If a `stop…` method is called on the callback thread, no callback of the stopped service runs after the
/// method has returned. The manager holds its delegate weakly.
///
/// **Errors.** `CLError.locationUnknown` means that no position is currently available because there is no fix, no
/// receiver, or no connection to gpsd. The manager reports this error once per loss and keeps trying. The underlying
/// error contains the reason. `CLError.denied` means that the app is not authorized to use the position (see
/// `LocationAuthorization`). `CLError.headingFailure` means that no heading is currently available.
///
/// Managers are thread-safe and independent of each other. All managers share the receiver.
open class CLLocationManager: NSObject {
    let client: LocationClient

    /// Creates a manager for the device set by `SimulatedDevice.use`, or for the live device if none is set.
    public override init() {
        client = LocationClient(device: LiveDevice.resolved)
        super.init()
        client.attach(self)
    }

    deinit { client.shutDown() }

    /// The delegate, held weakly.
    open weak var delegate: (any CLLocationManagerDelegate)? {
        get { client.delegate }
        set { client.delegate = newValue }
    }

    // MARK: State

    /// The last delivered location, regardless of its age. During `didUpdateLocations`, this is the last of the new
    /// locations.
    open var location: CLLocation? { client.location }

    var precedingLocation: CLLocation? { client.precedingLocation }

    /// The last delivered heading, regardless of its age. During `didUpdateHeading`, this is the new heading.
    open var heading: CLHeading? { client.headings.heading }

    // MARK: Settings

    /// The desired accuracy, in metres. A negative value (the default) requests the best available accuracy. The value
    /// is a hint, not a filter, so locations may be more or less accurate. On Linux, it determines when
    /// `requestLocation()` finishes. Values below 10 metres count as 10 metres.
    open var desiredAccuracy: CLLocationAccuracy {
        get { client.settings.desiredAccuracy }
        set { client.set { $0.desiredAccuracy = newValue } }
    }

    /// The minimum distance between delivered locations, in metres. The default, `kCLDistanceFilterNone`, delivers
    /// every location. A closer location is delivered only if it is more accurate than the last delivered one. The
    /// filter applies only to the standard location service.
    open var distanceFilter: CLLocationDistance {
        get { client.settings.distanceFilter }
        set { client.set { $0.distanceFilter = newValue } }
    }

    /// The user's activity, which determines when updates pause (see `pausesLocationUpdatesAutomatically`).
    open var activityType: CLActivityType {
        get { client.settings.activityType }
        set { client.set { $0.activityType = newValue } }
    }

    /// Whether updates may pause while the device is stationary. The default is true, as on Apple's platforms, but
    /// updates pause only if the app itself has set this property to true: on Linux, an app always counts as being in
    /// use, and Apple's platforms never pause updates for such an app.
    ///
    /// The device counts as stationary while it is slower than 1 m/s and stays within a radius of 15 metres, or within
    /// the accuracy of its positions, if that is larger. Updates pause when the device has been stationary for three
    /// minutes (`fitness`), five minutes (`other` and `otherNavigation`) or ten minutes (`automotiveNavigation`).
    /// Updates never pause for `airborne` activities or with `kCLLocationAccuracyBestForNavigation`. Unlike on Apple's
    /// platforms, the receiver keeps running, and updates resume with the first position that shows movement.
    open var pausesLocationUpdatesAutomatically: Bool {
        get { client.settings.pausesAutomatically }
        set {
            client.set {
                $0.pausesAutomatically = newValue
                $0.isPausingSetByApp = true
            }
        }
    }

    /// Whether updates continue in the background. This property has no effect on Linux. The default is false.
    open var allowsBackgroundLocationUpdates: Bool {
        get { client.settings.allowsBackgroundUpdates }
        set { client.set { $0.allowsBackgroundUpdates = newValue } }
    }

    /// Whether the system shows an indicator while the app uses the position in the background. This property has no
    /// effect on Linux. The default is false.
    open var showsBackgroundLocationIndicator: Bool {
        get { client.settings.showsBackgroundIndicator }
        set { client.set { $0.showsBackgroundIndicator = newValue } }
    }

    /// The minimum change between delivered headings, in degrees. The default is 1. `kCLHeadingFilterNone` delivers
    /// every heading, up to 100 per second. The first heading after a start is always delivered. A smaller change is
    /// delivered if the heading becomes valid or invalid, or if its accuracy doubles or halves.
    open var headingFilter: CLLocationDegrees {
        get { client.headings.filter }
        set { client.setHeadings { $0.filter = newValue } }
    }

    /// The device orientation for which headings are computed. The default is portrait.
    ///
    /// The heading is the direction of the edge that is at the top in this orientation. This is the top edge in
    /// `portrait`, the bottom edge in `portraitUpsideDown`, the right edge in `landscapeLeft` and the left edge in
    /// `landscapeRight`. If this edge points more than 60 degrees above the horizon, the heading becomes the direction
    /// in which the back of the device faces, until the edge falls below 50 degrees. If the edge points equally steeply
    /// downwards, the heading is the direction in which the screen faces.
    ///
    /// The values `unknown`, `faceUp` and `faceDown` are ignored.
    open var headingOrientation: CLDeviceOrientation {
        get { client.headings.orientation }
        set {
            switch newValue {
            case .unknown, .faceUp, .faceDown: break
            case .portrait, .portraitUpsideDown, .landscapeLeft, .landscapeRight:
                client.setHeadings { $0.orientation = newValue }
            }
        }
    }

    // MARK: Services

    /// Starts delivering locations and returns immediately. A second call has no effect. If a fix is already known, it
    /// is delivered first. That fix may be old, so check its timestamp.
    open func startUpdatingLocation() { client.start(.standard) }

    /// Stops delivering locations and cancels a pending `requestLocation()`.
    open func stopUpdatingLocation() { client.stop(.standard) }

    /// Delivers one location or `CLError.locationUnknown`, then stops. The manager delivers the first location with the
    /// desired accuracy, or the best location received within `locationRequestTimeout` (ten seconds by default). The
    /// location may be based on a fix that is up to 15 seconds old. The call has no effect while location updates are
    /// running or another request is pending.
    open func requestLocation() { client.requestLocation() }

    /// Starts delivering locations that are at least 500 metres and five minutes apart. The last known location is
    /// delivered first. `distanceFilter` and `desiredAccuracy` do not apply. The receiver runs continuously because,
    /// unlike a phone, a board has no cheaper way to detect movement.
    open func startMonitoringSignificantLocationChanges() { client.start(.significantChanges) }

    /// Stops delivering significant location changes.
    open func stopMonitoringSignificantLocationChanges() { client.stop(.significantChanges) }

    /// Starts delivering headings. A second call has no effect.
    ///
    /// The first heading is delivered as soon as it is available, and later headings as `headingFilter` permits.
    /// Headings are computed from the device's magnetometer, tilt-compensated with the accelerometer and smoothed with
    /// the gyroscope. Without a magnetometer, headings come from a compass that reports to gpsd (ATT reports). As on
    /// Apple's platforms, no authorization is necessary because a heading does not reveal the position.
    ///
    /// `trueHeading` is valid while the same manager's location updates are running and a position is known. Without a
    /// magnetometer or compass, use `CLLocation.course`, the direction of movement.
    ///
    /// `CLError.headingFailure` is reported once when a magnetic disturbance has lasted five seconds, when the sensors
    /// are lost, or when no heading is available within ten seconds of the start.
    open func startUpdatingHeading() { client.startHeadings() }

    /// Stops delivering headings.
    open func stopUpdatingHeading() { client.stopHeadings() }

    /// Has no effect, because Linux has no calibration display.
    open func dismissHeadingCalibrationDisplay() {}

    // MARK: Beacons

    /// Starts ranging the beacons that satisfy the constraint. A second call with the same constraint has no effect.
    /// The delegate is notified once per second, even if no beacon is received. Ranging requires full-accuracy
    /// authorization. On Linux, BlueZ receives the advertisements, in iBeacon or AltBeacon format.
    open func startRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
        client.startRanging(.constraint(constraint))
    }

    /// Stops ranging the beacons that satisfy the constraint.
    open func stopRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
        client.stopRanging(.constraint(constraint))
    }

    /// The constraints for which this manager ranges beacons.
    open var rangedBeaconConstraints: Set<CLBeaconIdentityConstraint> {
        Set(client.rangingRequests.compactMap { if case .constraint(let constraint) = $0 { constraint } else { nil } })
    }

    /// Starts ranging the beacons of a region and reports them to `locationManager(_:didRangeBeacons:in:)`.
    @available(*, deprecated, message: "Use startRangingBeacons(satisfying:).")
    open func startRangingBeacons(in region: CLBeaconRegion) { client.startRanging(.region(region)) }

    /// Stops ranging the beacons of a region.
    @available(*, deprecated, message: "Use stopRangingBeacons(satisfying:).")
    open func stopRangingBeacons(in region: CLBeaconRegion) { client.stopRanging(.region(region)) }

    /// The regions passed to `startRangingBeacons(in:)` and not since passed to `stopRangingBeacons(in:)`.
    @available(*, deprecated, message: "Use rangedBeaconConstraints.")
    open var rangedRegions: Set<CLRegion> {
        Set(client.rangingRequests.compactMap { if case .region(let region) = $0 { region } else { nil } })
    }

    // MARK: Regions

    /// Starts monitoring a region, which replaces any monitored region with the same identifier.
    ///
    /// The manager calls `didStartMonitoringFor` first, then `didDetermineState` as soon as the state is known. After
    /// that, it calls `didDetermineState` and then `didEnterRegion` or `didExitRegion` for each crossing. If the device
    /// is inside the region at the start, no entry is reported. ``CLCircularRegion`` describes when crossings are
    /// reported.
    ///
    /// The manager calls `monitoringDidFailFor` with `CLError.regionMonitoringFailure` if the region is invalid or too
    /// large, or if 20 regions are already monitored. The error is `CLError.regionMonitoringDenied` if the app is not
    /// authorized for full accuracy. The underlying error contains the reason. A beacon region also fails if beacons
    /// cannot currently be received. This check may take up to two seconds.
    ///
    /// Regions belong to the app and the current device, so all managers with a delegate are notified. Regions from an
    /// earlier run of the app are monitored again as soon as a manager has a delegate (see ``monitoredRegions``).
    open func startMonitoring(for region: CLRegion) { client.regions.start(region, for: client) }

    /// Stops monitoring the region with the same identifier.
    open func stopMonitoring(for region: CLRegion) { client.regions.stop(region.identifier) }

    /// Requests the state of a region, which is delivered to `didDetermineState`. The state is `unknown` if it has not
    /// been determined yet, or if the region is not monitored.
    open func requestState(for region: CLRegion) { client.regions.requestState(of: region, for: client) }

    /// Copies of the regions that the app's managers monitor. The regions and their last reported states are saved to a
    /// file in the calibration directory and restored in the next run of the app. During trace playback, nothing is
    /// saved.
    open var monitoredRegions: Set<CLRegion> { client.regions.regions }

    /// The maximum radius of a monitored region, in metres. The value is 2,128,000, as on an iPhone.
    open var maximumRegionMonitoringDistance: CLLocationDistance { RegionShape.maximumRadius }

    /// Starts delivering visits to `didVisit`. An arrival is reported after the device has stayed at a place for five
    /// minutes. A departure is reported when the device has been away for five minutes, or as soon as it is far away
    /// (see ``CLVisit``). Visits require full-accuracy authorization. The receiver runs continuously because, unlike a
    /// phone, a board has no cheaper way to detect that it is stationary.
    open func startMonitoringVisits() { client.setMonitorsVisits(true) }

    /// Stops delivering visits and discards a visit in progress.
    open func stopMonitoringVisits() { client.setMonitorsVisits(false) }

    // MARK: Availability

    /// Returns whether regions of the given class can be monitored. The result is always true for circular regions. For
    /// beacon regions, it is true if beacons can currently be received.
    open class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool {
        if regionClass is CLBeaconRegion.Type { return LiveDevice.resolved.beaconSource.problem == nil }
        return regionClass is CLCircularRegion.Type
    }

    /// Returns whether location services are enabled on this device, for all apps (see `LocationAuthorization`). The
    /// default is true, whether or not gpsd is reachable.
    open class func locationServicesEnabled() -> Bool { LocationAuthorization.current.servicesEnabled }

    /// Always returns true, because significant changes are derived from the standard location service.
    open class func significantLocationChangeMonitoringAvailable() -> Bool { true }

    /// Returns whether the device can currently provide headings. This requires a magnetometer and an accelerometer, or
    /// a compass that has reported a heading to gpsd.
    ///
    /// gpsd does not announce which receivers are compasses. A compass is recognized only after its first report, which
    /// arrives only while a manager is subscribed. If a compass is the only source, start location updates first, or
    /// start heading updates without this check. The first call may take a few seconds.
    open class func headingAvailable() -> Bool { LocationClient.isHeadingAvailable(on: LiveDevice.resolved) }

    /// Returns whether beacons can currently be received, which requires BlueZ and a powered Bluetooth adapter. If this
    /// returns false, an app can still start ranging. The delegate's `locationManager(_:didFailRangingFor:error:)`
    /// method then receives the reason, and ranging begins as soon as beacons can be received. The first call queries
    /// BlueZ, which takes up to two seconds.
    open class func isRangingAvailable() -> Bool { LiveDevice.resolved.beaconSource.problem == nil }

    // MARK: Authorization

    /// The app's authorization to use location services.
    open var authorizationStatus: CLAuthorizationStatus { client.authorization.status }

    /// The accuracy of the locations that the app may receive.
    open var accuracyAuthorization: CLAccuracyAuthorization { client.authorization.accuracy }

    /// Requests authorization to use the position while the app is in use, if the status is `notDetermined`. The result
    /// is delivered to the delegate. Linux shows no prompt. Instead, the configuration or the app's `LocationPolicy`
    /// decides. By default, the request is granted.
    open func requestWhenInUseAuthorization() {
        client.authorization.request(.whenInUse, purpose: client.settings.purpose)
    }

    /// Requests `authorizedAlways` if the status is `notDetermined` or `authorizedWhenInUse`.
    open func requestAlwaysAuthorization() {
        client.authorization.request(.always, purpose: client.settings.purpose)
    }

    /// Requests full accuracy if the app has reduced accuracy. The delegate is notified if the accuracy changes.
    open func requestTemporaryFullAccuracyAuthorization(withPurposeKey purposeKey: String) {
        client.authorization.request(.temporaryFullAccuracy(purposeKey: purposeKey), purpose: client.settings.purpose)
    }

    /// Requests full accuracy. The closure receives nil if full accuracy was granted, or an error if it was not.
    open func requestTemporaryFullAccuracyAuthorization(
        withPurposeKey purposeKey: String, completion: (((any Error)?) -> Void)?
    ) {
        // The closure is called exactly once, in the context that decides the request. Its type cannot be `@Sendable`,
        // because apps declare protocols with Apple's signature and make the manager conform to them.
        nonisolated(unsafe) let completion = completion
        requestFullAccuracy(purposeKey) { completion?($0) }
    }

    /// Requests full accuracy and waits for the decision. Throws an error if full accuracy is not granted.
    open func requestTemporaryFullAccuracyAuthorization(withPurposeKey purposeKey: String) async throws {
        let error = await withCheckedContinuation { continuation in
            requestFullAccuracy(purposeKey) { continuation.resume(returning: $0) }
        }
        if let error { throw error }
    }

    private func requestFullAccuracy(_ purposeKey: String, completion: @escaping @Sendable (CLError?) -> Void) {
        let authorization = client.authorization
        authorization.request(.temporaryFullAccuracy(purposeKey: purposeKey), purpose: client.settings.purpose) {
            completion(authorization.accuracy == .fullAccuracy ? nil : CLError(.promptDeclined))
        }
    }

    /// Returns the app's authorization to use location services.
    @available(*, deprecated, message: "Use the authorizationStatus property of a manager.")
    open class func authorizationStatus() -> CLAuthorizationStatus { LocationAuthorization.current.status }

    // MARK: Deprecated API

    /// The app's reason for using the position. It is passed to policies and shown in `LocationAuthorization.uses`.
    /// Apple's platforms read this text from Info.plist. Here, it is configured as `location.purpose`.
    @available(*, deprecated, message: "Set location.purpose in the configuration.")
    open var purpose: String? {
        get { client.settings.purpose }
        set { client.set { $0.purpose = newValue } }
    }

    /// The former name of `startMonitoring(for:)`. The accuracy is ignored.
    @available(*, deprecated, message: "Use startMonitoring(for:).")
    open func startMonitoring(for region: CLRegion, desiredAccuracy accuracy: CLLocationAccuracy) {
        startMonitoring(for: region)
    }

    /// Always returns true, because circular regions can be monitored.
    @available(*, deprecated, message: "Use isMonitoringAvailable(for:).")
    open class func regionMonitoringAvailable() -> Bool { true }

    /// Returns whether location services are enabled.
    @available(*, deprecated, message: "Use isMonitoringAvailable(for:) and authorizationStatus.")
    open class func regionMonitoringEnabled() -> Bool { locationServicesEnabled() }

    /// The deprecated predecessor of the class method `locationServicesEnabled()`.
    @available(*, deprecated, message: "Use the class method locationServicesEnabled().")
    open var locationServicesEnabled: Bool { client.authorization.servicesEnabled }

    /// The deprecated predecessor of the class method `headingAvailable()`.
    @available(*, deprecated, message: "Use the class method headingAvailable().")
    open var headingAvailable: Bool { LocationClient.isHeadingAvailable(on: client.device) }

    /// Always returns false, because no receiver on Linux stores fixes.
    @available(*, deprecated, message: "Deferred updates are not supported on Linux.")
    open class func deferredLocationUpdatesAvailable() -> Bool { false }

    /// Reports a failure to the delegate, because no receiver on Linux stores fixes.
    @available(*, deprecated, message: "Deferred updates are not supported on Linux.")
    open func allowDeferredLocationUpdates(untilTraveled distance: CLLocationDistance, timeout: TimeInterval) {
        client.refuseDeferredUpdates()
    }

    /// Has no effect.
    @available(*, deprecated, message: "Deferred updates are not supported on Linux.")
    open func disallowDeferredLocationUpdates() {}
}
