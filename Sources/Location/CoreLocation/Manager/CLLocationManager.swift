// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LiveDevice

/// An object that delivers the position of the device to a delegate.
///
/// Create a manager, keep a strong reference to it, set its delegate, and start a service. On Linux, gpsd provides the
/// positions. `receiver` and other additions for Linux cover features that Apple's API does not have.
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
/// **Callback context.** A manager that is created on the main thread or on the main actor calls its delegate on the
/// main dispatch queue. `RunLoop.main.run()`, `dispatchMain()` and an async `main` all serve this queue; with the
/// latter two, Linux runs the queue on threads other than the first. A manager that is created in a task or on another
/// dispatch queue uses a private serial queue. A manager that is created on any other thread uses the run loop of that
/// thread, which has to run. `delegateQueue` overrides this. Callbacks never run inside a call that starts a service,
/// and never after `stop…` has returned on the callback thread. The manager holds its delegate weakly, and the app has
/// to keep the manager.
///
/// **Errors.** `CLError.locationUnknown` means that no position is currently available: no fix, no receiver, or no
/// gpsd. The error is reported once per loss, and its underlying error contains the reason. The manager keeps trying,
/// and the next location ends the loss. `CLError.denied` means that the app is not authorized to use the position; see
/// `LocationAuthorization`. `CLError.headingFailure` means that no heading is currently available; headings resume as
/// soon as one is available.
///
/// Use a manager from one thread, as on Apple's platforms; calls from other threads are safe. Managers are independent
/// of each other and share the receiver.
open class CLLocationManager: NSObject {
    let client: LocationClient

    /// Creates a manager for the current device: the one set by `SimulatedDevice.use`, otherwise the live device.
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

    /// The last delivered location, regardless of its age; nil until the first location is delivered. During
    /// `didUpdateLocations`, this is the last of the delivered locations.
    open var location: CLLocation? { client.location }

    var precedingLocation: CLLocation? { client.precedingLocation }

    /// The last delivered heading, regardless of its age; nil until the first heading is delivered. During
    /// `didUpdateHeading`, this is the heading being delivered.
    open var heading: CLHeading? { client.headings.heading }

    // MARK: Settings

    /// The desired accuracy, in metres. Negative values request the best available accuracy, which is the default. The
    /// value is a hint, not a filter: more and less accurate locations may be delivered. On Linux, it determines the
    /// accuracy at which `requestLocation()` finishes; the best accuracy then means 10 metres.
    open var desiredAccuracy: CLLocationAccuracy {
        get { client.settings.desiredAccuracy }
        set { client.set { $0.desiredAccuracy = newValue } }
    }

    /// The minimum distance from the last delivered location, in metres, at which a new location is delivered. The
    /// default, `kCLDistanceFilterNone`, delivers every location. A nearer location is delivered if it is more accurate
    /// than the last delivered one. Applies to the standard service only.
    open var distanceFilter: CLLocationDistance {
        get { client.settings.distanceFilter }
        set { client.set { $0.distanceFilter = newValue } }
    }

    /// The activity of the app, which determines when updates pause; see `pausesLocationUpdatesAutomatically`.
    open var activityType: CLActivityType {
        get { client.settings.activityType }
        set { client.set { $0.activityType = newValue } }
    }

    /// Whether updates may pause while the device is stationary. The default is true, as on Apple's platforms, but
    /// updates pause only after the app has set this property: Apple does not pause an app that is in use, and a
    /// process on Linux always is.
    ///
    /// The device is stationary while it moves at less than 1 m/s within a radius of 15 metres, or of the accuracy of
    /// its positions if that is larger. Updates pause when the device has been stationary for three minutes
    /// (`activityType` fitness), five minutes (other and other navigation) or ten minutes (automotive navigation). They
    /// never pause for airborne activities or with `kCLLocationAccuracyBestForNavigation`. The delegate is notified.
    /// Unlike on Apple's platforms, updates resume automatically with the first position that shows movement; the
    /// receiver keeps running for this purpose.
    open var pausesLocationUpdatesAutomatically: Bool {
        get { client.settings.pausesAutomatically }
        set {
            client.set {
                $0.pausesAutomatically = newValue
                $0.isPausingSetByApp = true
            }
        }
    }

    /// Whether updates continue in the background. Stored without effect on Linux; the default is false.
    open var allowsBackgroundLocationUpdates: Bool {
        get { client.settings.allowsBackgroundUpdates }
        set { client.set { $0.allowsBackgroundUpdates = newValue } }
    }

    /// Whether the system indicates background use of the position. Stored without effect on Linux; the default is
    /// false. See `LocationAuthorization.uses`.
    open var showsBackgroundLocationIndicator: Bool {
        get { client.settings.showsBackgroundIndicator }
        set { client.set { $0.showsBackgroundIndicator = newValue } }
    }

    /// The minimum change from the last delivered heading, in degrees, for a new heading to be delivered. The default
    /// is 1. `kCLHeadingFilterNone` delivers every heading, up to 100 per second. A heading with a smaller change is
    /// delivered if the heading becomes valid or invalid, or if its accuracy doubles or halves. The first heading after
    /// a start is always delivered.
    open var headingFilter: CLLocationDegrees {
        get { client.headings.filter }
        set { client.setHeadings { $0.filter = newValue } }
    }

    /// The device orientation, which selects the edge whose direction is reported as the heading. The default is
    /// portrait, which selects the top edge.
    ///
    /// The selected edge is the one that points up in this orientation: the bottom edge in `portraitUpsideDown`, the
    /// right edge in `landscapeLeft` and the left edge in `landscapeRight`. When this edge points more than 60 degrees
    /// above the horizon, the heading is the direction of the back of the device, until the edge is below 50 degrees
    /// again. At the same angles below the horizon, it is the direction of the face. `unknown`, `faceUp` and `faceDown`
    /// are ignored.
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

    /// Starts the delivery of locations. Returns immediately; a second call has no effect. If a fix is already known,
    /// it is delivered first, with its own timestamp. This fix may be old, so check the timestamp.
    open func startUpdatingLocation() { client.start(.standard) }

    /// Stops the delivery of locations and cancels a pending `requestLocation()`.
    open func stopUpdatingLocation() { client.stop(.standard) }

    /// Delivers one location, or `CLError.locationUnknown`, and stops. Delivers the first location with the desired
    /// accuracy or, when `locationRequestTimeout` expires (ten seconds by default), the best one received so far. A fix
    /// that is at most 15 seconds old is also accepted. The call has no effect while updates or a previous request are
    /// running.
    open func requestLocation() { client.requestLocation() }

    /// Starts the delivery of a location about every 500 metres, and at most every five minutes. The last known
    /// location is delivered first. `distanceFilter` and `desiredAccuracy` do not apply. The receiver runs
    /// continuously: unlike a phone, a board has no cheaper way to detect movement.
    open func startMonitoringSignificantLocationChanges() { client.start(.significantChanges) }

    /// Stops the delivery of significant location changes.
    open func stopMonitoringSignificantLocationChanges() { client.stop(.significantChanges) }

    /// Starts the delivery of headings; a second call has no effect.
    ///
    /// The first heading is delivered as soon as it is available, later ones as permitted by `headingFilter`. Headings
    /// are computed from the device's magnetometer, with tilt compensation by the accelerometer and smoothing by the
    /// gyroscope. Without a magnetometer, a compass that reports to gpsd provides them (ATT reports). No authorization
    /// is necessary, as on Apple's platforms, because a heading does not reveal the position.
    ///
    /// `trueHeading` is valid while location updates of the same manager are running and have determined a position.
    /// Without a magnetometer or compass, use `CLLocation.course`, the direction of movement:
    ///
    /// ```swift
    /// if CLLocationManager.headingAvailable() {
    ///     manager.startUpdatingHeading()
    /// } else {
    ///     manager.startUpdatingLocation()  // and use location.course where it is not negative
    /// }
    /// ```
    ///
    /// `CLError.headingFailure` is reported once per magnetic disturbance that lasts five seconds, when the sensors are
    /// lost, and when no heading is available within ten seconds of the start. Headings resume automatically. When
    /// headings become invalid, the delegate is asked whether to display the heading calibration.
    open func startUpdatingHeading() { client.startHeadings() }

    /// Stops the delivery of headings.
    open func stopUpdatingHeading() { client.stopHeadings() }

    /// Has no effect: Linux has no calibration display.
    open func dismissHeadingCalibrationDisplay() {}

    // MARK: Beacons

    /// Starts ranging the beacons that satisfy the constraint; a second call with an equal constraint has no effect.
    /// The delegate is notified once per second, even if no beacon is received. Ranging requires full accuracy
    /// authorization. On Linux, advertisements are received through BlueZ; the iBeacon and AltBeacon formats are
    /// supported.
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

    /// The regions that were passed to `startRangingBeacons(in:)` and have not been stopped.
    @available(*, deprecated, message: "Use rangedBeaconConstraints.")
    open var rangedRegions: Set<CLRegion> {
        Set(client.rangingRequests.compactMap { if case .region(let region) = $0 { region } else { nil } })
    }

    // MARK: Regions

    /// Starts monitoring a region. It replaces a monitored region with the same identifier.
    ///
    /// `didStartMonitoringFor` is called first, then `didDetermineState` as soon as the state is known. After that,
    /// `didEnterRegion` and `didExitRegion` report crossings, each preceded by `didDetermineState`. Being inside the
    /// region at the start is not an entry. ``CLCircularRegion`` describes when crossings are reported.
    ///
    /// `monitoringDidFailFor` is called with `CLError.regionMonitoringFailure` if the region is too large, has no valid
    /// centre or exceeds the limit of 20 regions, and with `CLError.regionMonitoringDenied` if the app is not
    /// authorized to use the position with full accuracy. The underlying error contains the reason. A beacon region
    /// also fails if beacons cannot be received at the moment; start it again when Bluetooth is available. This check
    /// may block the caller for up to two seconds.
    ///
    /// Regions belong to the app and to the current device, so all managers with a delegate are notified. Regions from
    /// an earlier run of the app are monitored again as soon as a manager has a delegate (see ``monitoredRegions``).
    open func startMonitoring(for region: CLRegion) { client.regions.start(region, for: client) }

    /// Stops monitoring the region with the same identifier.
    open func stopMonitoring(for region: CLRegion) { client.regions.stop(region.identifier) }

    /// Requests the state of a monitored region, which is delivered to `didDetermineState`. The state is unknown before
    /// it has been determined, and for regions that are not monitored.
    open func requestState(for region: CLRegion) { client.regions.requestState(of: region, for: client) }

    /// Copies of the regions that all managers of the app monitor. The regions and their last reported states are
    /// stored in a file in the calibration directory and restored in the next run of the app. During trace playback,
    /// nothing is stored.
    open var monitoredRegions: Set<CLRegion> { client.regions.regions }

    /// The largest radius of a monitored region, in metres: 2,128,000, as on an iPhone.
    open var maximumRegionMonitoringDistance: CLLocationDistance { RegionShape.maximumRadius }

    /// Starts the delivery of visits to `didVisit`. An arrival is reported after the device has stayed at a place for
    /// five minutes. A departure is reported when the device has been away for five minutes, or is far away (see
    /// ``CLVisit``). Requires full accuracy authorization. The receiver runs continuously: unlike a phone, a board has
    /// no cheaper way to detect that it is stationary.
    open func startMonitoringVisits() { client.setMonitorsVisits(true) }

    /// Stops the delivery of visits and discards a visit in progress.
    open func stopMonitoringVisits() { client.setMonitorsVisits(false) }

    // MARK: Availability

    /// Returns whether regions of a class can be monitored. Circular regions always can; beacon regions require that
    /// beacons can be received.
    open class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool {
        if regionClass is CLBeaconRegion.Type { return LiveDevice.resolved.beaconSource.problem == nil }
        return regionClass is CLCircularRegion.Type
    }

    /// Returns whether location services are enabled on this device, for all apps. The default is true, whether or not
    /// gpsd is reachable; see `LocationAuthorization`.
    open class func locationServicesEnabled() -> Bool { LocationAuthorization.current.servicesEnabled }

    /// Always returns true: significant changes are derived from the standard service.
    open class func significantLocationChangeMonitoringAvailable() -> Bool { true }

    /// Returns whether the device can provide headings now: it has a magnetometer and an accelerometer, or a compass
    /// has reported a heading to gpsd.
    ///
    /// gpsd does not announce which receivers are compasses. A compass is known from its first report, which is
    /// received only while a manager is subscribed. If a compass is the only source, start location updates first, or
    /// start headings without this check. The first call may take a few seconds if a server has to be queried for
    /// sensors.
    open class func headingAvailable() -> Bool { LocationClient.isHeadingAvailable(on: LiveDevice.resolved) }

    /// Returns whether beacons can be received now: BlueZ is running and has a powered adapter. Otherwise
    /// `locationManager(_:didFailRangingFor:error:)` reports the reason, and ranging begins as soon as it is possible.
    /// The first call queries BlueZ, which takes up to two seconds.
    open class func isRangingAvailable() -> Bool { LiveDevice.resolved.beaconSource.problem == nil }

    // MARK: Authorization

    /// The app's authorization to use location services.
    open var authorizationStatus: CLAuthorizationStatus { client.authorization.status }

    /// The accuracy of the locations that the app may receive.
    open var accuracyAuthorization: CLAccuracyAuthorization { client.authorization.accuracy }

    /// Requests authorization to use the position while the app is in use, if the status is not determined. The result
    /// is delivered to the delegate. Linux has no prompt: the configuration or the app's `LocationPolicy` decides. By
    /// default, the request is granted.
    open func requestWhenInUseAuthorization() {
        client.authorization.request(.whenInUse, purpose: client.settings.purpose)
    }

    /// Requests authorization to use the position at any time. Has an effect only if the status is not determined or is
    /// "when in use".
    open func requestAlwaysAuthorization() {
        client.authorization.request(.always, purpose: client.settings.purpose)
    }

    /// Requests full accuracy if only reduced accuracy is authorized. The delegate is notified if the accuracy changes.
    open func requestTemporaryFullAccuracyAuthorization(withPurposeKey purposeKey: String) {
        client.authorization.request(.temporaryFullAccuracy(purposeKey: purposeKey), purpose: client.settings.purpose)
    }

    /// Requests full accuracy. The closure is called when the request is decided; it receives an error if the request
    /// was refused.
    open func requestTemporaryFullAccuracyAuthorization(
        withPurposeKey purposeKey: String, completion: (((any Error)?) -> Void)?
    ) {
        // The closure is called exactly once, in the context that decides the request. It is not `@Sendable`, as on
        // Apple's platforms; otherwise, a manager would not satisfy the protocols that apps declare for it.
        nonisolated(unsafe) let completion = completion
        requestFullAccuracy(purposeKey) { completion?($0) }
    }

    /// Requests full accuracy and returns when the request is decided. Throws an error if the request was refused.
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

    /// The reason for using the position, as stated to the user. It is passed to policies and shown in
    /// `LocationAuthorization.uses`. Apple reads the text from Info.plist; here it is configured as `location.purpose`.
    @available(*, deprecated, message: "Set location.purpose in the configuration.")
    open var purpose: String? {
        get { client.settings.purpose }
        set { client.set { $0.purpose = newValue } }
    }

    /// The former name of `startMonitoring(for:)`. The accuracy has no effect.
    @available(*, deprecated, message: "Use startMonitoring(for:).")
    open func startMonitoring(for region: CLRegion, desiredAccuracy accuracy: CLLocationAccuracy) {
        startMonitoring(for: region)
    }

    /// Always returns true: circular regions can be monitored.
    @available(*, deprecated, message: "Use isMonitoringAvailable(for:).")
    open class func regionMonitoringAvailable() -> Bool { true }

    /// Returns whether location services are enabled.
    @available(*, deprecated, message: "Use isMonitoringAvailable(for:) and authorizationStatus.")
    open class func regionMonitoringEnabled() -> Bool { locationServicesEnabled() }

    /// The former name of the class method.
    @available(*, deprecated, message: "Use the class method locationServicesEnabled().")
    open var locationServicesEnabled: Bool { client.authorization.servicesEnabled }

    /// The former name of the class method.
    @available(*, deprecated, message: "Use the class method headingAvailable().")
    open var headingAvailable: Bool { LocationClient.isHeadingAvailable(on: client.device) }

    /// Always returns false: no receiver on Linux stores fixes for later delivery.
    @available(*, deprecated, message: "Deferred updates are not supported on Linux.")
    open class func deferredLocationUpdatesAvailable() -> Bool { false }

    /// Reports a failure to the delegate: no receiver on Linux stores fixes for later delivery.
    @available(*, deprecated, message: "Deferred updates are not supported on Linux.")
    open func allowDeferredLocationUpdates(untilTraveled distance: CLLocationDistance, timeout: TimeInterval) {
        client.refuseDeferredUpdates()
    }

    /// Has no effect.
    @available(*, deprecated, message: "Deferred updates are not supported on Linux.")
    open func disallowDeferredLocationUpdates() {}
}
