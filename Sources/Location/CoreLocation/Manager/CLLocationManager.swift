// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LiveDevice

/// Delivers the position of the device to a delegate.
///
/// Make one, keep it, set its delegate, and start a service. On Linux positions come from gpsd; `receiver` and other
/// additions for Linux are for what Apple's API lacks.
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
/// **Where callbacks arrive.** A manager made on the main thread or the main actor calls its delegate on the main
/// dispatch queue. `RunLoop.main.run()`, `dispatchMain()` and an async main all serve it; with the latter two, Linux
/// runs that queue on other threads than the first. A manager made in a task or on another dispatch queue uses a
/// private serial queue. One made on any other thread uses that thread's run loop, which has to run. `delegateQueue`
/// overrides this. No callback comes from inside a call that starts a service, or after `stop…` has returned on the
/// thread of the callbacks. The delegate is held weakly; keep the manager.
///
/// **Failures.** `CLError.locationUnknown` says that there is no position for now: no fix, no receiver, no gpsd. It is
/// told once for each loss; the manager keeps trying, and the next location says that it is over. Its underlying error
/// names the reason. `CLError.denied` says that the use of the position is not allowed; see `LocationAuthorization`.
/// `CLError.headingFailure` says that there is no heading for now; headings go on when there is one again.
///
/// A manager is used from one thread, as on Apple's platforms; calling it from others is safe. Several managers are
/// independent of each other and share the receiver.
open class CLLocationManager: NSObject {
    let client: LocationClient

    /// Creates a manager for the device in force: that of `SimulatedDevice.use`, else the live one.
    public override init() {
        client = LocationClient(device: LiveDevice.resolved)
        super.init()
        client.attach(self)
    }

    deinit {
        client.retire()
    }

    /// Who is told; held weakly.
    open weak var delegate: (any CLLocationManagerDelegate)? {
        get { client.delegate }
        set { client.delegate = newValue }
    }

    // MARK: What is known

    /// The last location that was delivered, as old as it may be; nil before the first.
    ///
    /// During `didUpdateLocations` it is already the last of the delivered ones.
    open var location: CLLocation? { client.location }

    /// The location that was delivered before the ones in the present callback; nil before the first.
    var precedingLocation: CLLocation? { client.precedingLocation }

    /// The last heading that was delivered, as old as it may be; nil before the first.
    ///
    /// During `didUpdateHeading` it is already the delivered one.
    open var heading: CLHeading? { client.headings.heading }

    // MARK: What is wanted

    /// How exact positions should be, in metres; negative values stand for the best there is. Default: best.
    ///
    /// A hint, never a filter: better and worse locations may arrive. On Linux it decides when `requestLocation()` is
    /// satisfied; "best" is then taken for 10 metres.
    open var desiredAccuracy: CLLocationAccuracy {
        get { client.settings.desiredAccuracy }
        set { client.set { $0.desiredAccuracy = newValue } }
    }

    /// How far in metres the device has to move from the last delivered location before the next one; `kCLDistanceFilterNone`,
    /// the default, delivers every one.
    ///
    /// A nearer location is delivered if its accuracy is better than that of the last delivered one. For the standard
    /// service only.
    open var distanceFilter: CLLocationDistance {
        get { client.settings.distanceFilter }
        set { client.set { $0.distanceFilter = newValue } }
    }

    /// What the program does with locations: it decides when updates pause, see `pausesLocationUpdatesAutomatically`.
    open var activityType: CLActivityType {
        get { client.settings.activityType }
        set { client.set { $0.activityType = newValue } }
    }

    /// Whether updates may pause while the device rests. Default: true, as Apple says; it takes effect once a program has
    /// set it, because Apple pauses nothing that is in use, and a process on Linux always is.
    ///
    /// The positions decide: the device rests that has stayed within 15 metres, or the accuracy of its positions, below one
    /// metre per second. Updates pause when that has lasted three minutes (`activityType` fitness), five (other and other
    /// navigation) or ten (automotive navigation). They never do for airborne activities, and with
    /// `kCLLocationAccuracyBestForNavigation`. The delegate hears of it. Unlike on Apple's platforms they go on by
    /// themselves with the first position that says that the device moves; the receiver runs on for that.
    open var pausesLocationUpdatesAutomatically: Bool {
        get { client.settings.pausesAutomatically }
        set {
            client.set {
                $0.pausesAutomatically = newValue
                $0.hasChosenPausing = true
            }
        }
    }

    /// Whether updates go on in the background. Default: false.
    ///
    /// Kept, without an effect on Linux: a process has no background state there.
    open var allowsBackgroundLocationUpdates: Bool {
        get { client.settings.allowsBackgroundUpdates }
        set { client.set { $0.allowsBackgroundUpdates = newValue } }
    }

    /// Whether the system shows that the program uses the position in the background. Default: false.
    ///
    /// Kept, without an effect on Linux; `LocationAuthorization.uses` tells who uses the position.
    open var showsBackgroundLocationIndicator: Bool {
        get { client.settings.showsBackgroundIndicator }
        set { client.set { $0.showsBackgroundIndicator = newValue } }
    }

    /// By how many degrees the heading has to change from the last delivered one before the next;
    /// `kCLHeadingFilterNone` delivers every one, up to 100 a second. Default: 1.
    ///
    /// A smaller change is delivered when the heading becomes valid or invalid, or its accuracy doubles or halves. The
    /// first heading after a start is always delivered.
    open var headingFilter: CLLocationDegrees {
        get { client.headings.filter }
        set { client.setHeadings { $0.filter = newValue } }
    }

    /// Which edge of the device the heading belongs to. Default: portrait, the top edge.
    ///
    /// It is the edge that is up when the device is held so: the bottom edge upside down, the right one in
    /// `landscapeLeft`, the left one in `landscapeRight`. From when that edge points more than 60 degrees above the
    /// horizon until it is below 50 again, the heading is that of the back of the device; when it points as steeply
    /// down, that of the face. `unknown`, `faceUp` and `faceDown` are ignored.
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

    /// Starts the delivery of locations. Returns at once; a second call does nothing.
    ///
    /// When a fix is known already it comes first, with its own time, which may be long ago: check it.
    open func startUpdatingLocation() {
        client.start(.standard)
    }

    /// Stops the delivery of locations, and a single request with it.
    open func stopUpdatingLocation() {
        client.stop(.standard)
    }

    /// Delivers one location, or `CLError.locationUnknown`, and stops.
    ///
    /// The location is the first that is as exact as `desiredAccuracy` asks, or the best one when that takes too long:
    /// ten seconds, see `locationRequestTimeout`. A fix that is not older than 15 seconds counts as well. While updates
    /// or another request run, a request does nothing.
    open func requestLocation() {
        client.requestLocation()
    }

    /// Starts the delivery of a location every 500 metres or so, and not more often than every five minutes.
    ///
    /// The last known location comes first. `distanceFilter` and `desiredAccuracy` have no say in it. The receiver runs
    /// all the while: unlike a phone, a board has no cheaper way to know that it has moved.
    open func startMonitoringSignificantLocationChanges() {
        client.start(.significantChanges)
    }

    /// Stops the delivery of significant changes.
    open func stopMonitoringSignificantLocationChanges() {
        client.stop(.significantChanges)
    }

    /// Starts the delivery of headings; a second call does nothing.
    ///
    /// The first heading comes as soon as there is one, later ones when `headingFilter` lets them through. They come from
    /// the device's magnetometer, levelled by gravity and steadied by the gyroscope; where there is none, from a compass
    /// that gpsd knows (its ATT reports). Needs no authorization, as on Apple's platforms: a heading tells nobody where
    /// the device is.
    ///
    /// `trueHeading` is valid while location updates run on the same manager and have found a position. Without a
    /// magnetometer or compass use `CLLocation.course`, the direction of movement:
    ///
    /// ```swift
    /// if CLLocationManager.headingAvailable() {
    ///     manager.startUpdatingHeading()
    /// } else {
    ///     manager.startUpdatingLocation()  // and use location.course where it is not negative
    /// }
    /// ```
    ///
    /// `CLError.headingFailure` is told once for each disturbance of the field that lasts five seconds, when the
    /// sensors are lost, and when no heading has come within ten seconds of the start. Headings go on by themselves
    /// when they can. When headings become invalid, the delegate is asked whether a calibration may be shown.
    open func startUpdatingHeading() {
        client.startHeadings()
    }

    /// Stops the delivery of headings.
    open func stopUpdatingHeading() {
        client.stopHeadings()
    }

    /// Does nothing: no calibration is ever shown on Linux.
    open func dismissHeadingCalibrationDisplay() {}

    // MARK: Beacons

    /// Starts to range the beacons that satisfy the constraint; a second call with an equal one does nothing.
    ///
    /// The delegate is told of them once a second, also while none is heard. Needs the authorization to know the place
    /// exactly. On Linux beacons are heard through BlueZ; iBeacons and AltBeacons count.
    open func startRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
        client.startRanging(.constraint(constraint))
    }

    /// Stops the ranging of the beacons that satisfy the constraint.
    open func stopRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
        client.stopRanging(.constraint(constraint))
    }

    /// The constraints that this manager ranges beacons for.
    open var rangedBeaconConstraints: Set<CLBeaconIdentityConstraint> {
        Set(client.rangingWishes.compactMap { if case .constraint(let constraint) = $0 { constraint } else { nil } })
    }

    /// The former form, which `locationManager(_:didRangeBeacons:in:)` answers.
    @available(*, deprecated, message: "Use startRangingBeacons(satisfying:).")
    open func startRangingBeacons(in region: CLBeaconRegion) {
        client.startRanging(.region(region))
    }

    /// The former form.
    @available(*, deprecated, message: "Use stopRangingBeacons(satisfying:).")
    open func stopRangingBeacons(in region: CLBeaconRegion) {
        client.stopRanging(.region(region))
    }

    /// The regions that the former form ranges beacons for.
    @available(*, deprecated, message: "Use rangedBeaconConstraints.")
    open var rangedRegions: Set<CLRegion> {
        Set(client.rangingWishes.compactMap { if case .region(let region) = $0 { region } else { nil } })
    }

    // MARK: Regions

    /// Starts to monitor a region, in the place of one with the same identifier.
    ///
    /// `didStartMonitoringFor` comes first, then `didDetermineState` as soon as the state is known. From then on
    /// `didEnterRegion` and `didExitRegion` tell of crossings, each after `didDetermineState`; to be inside from the start
    /// is no entry. When they are told, and what they are told of, is under ``CLCircularRegion``.
    ///
    /// `monitoringDidFailFor` comes with `CLError.regionMonitoringFailure` for a region that is too large, has no place or
    /// is the 21st, and with `CLError.regionMonitoringDenied` when the use of the position, or of its full accuracy, is not
    /// allowed. The underlying error says why. It comes for a region of beacons, too, when none can be heard now, so start
    /// again when Bluetooth is there; to find out may take the caller up to two seconds.
    ///
    /// Regions belong to the program, and to the device in force: all managers with a delegate are told, and those of an
    /// earlier run of the program are monitored on as soon as a manager has a delegate (see ``monitoredRegions``).
    open func startMonitoring(for region: CLRegion) {
        client.regions.start(region, for: client)
    }

    /// Stops to monitor the region of that identifier.
    open func stopMonitoring(for region: CLRegion) {
        client.regions.stop(region.identifier)
    }

    /// Answers with `didDetermineState`: on which side of a monitored region the device is. Unknown when that has not been
    /// seen yet, and for regions that are not monitored.
    open func requestState(for region: CLRegion) {
        client.regions.requestState(of: region, for: client)
    }

    /// The regions that are monitored, of all managers of the program: copies.
    ///
    /// They are kept from one run of the program to the next, with what was told of them, in a file in the folder of
    /// stored calibrations; not while a trace is played.
    open var monitoredRegions: Set<CLRegion> { client.regions.regions }

    /// The largest radius of a region that is monitored, in metres: 2,128,000, as on an iPhone.
    open var maximumRegionMonitoringDistance: CLLocationDistance { RegionShape.maximumRadius }

    /// Starts the delivery of visits: `didVisit` tells of an arrival after five minutes at a place, and of the departure
    /// when the device has been away for five minutes, or is far away (see ``CLVisit``).
    ///
    /// Needs full accuracy. The receiver runs all the while: unlike a phone, a board has no cheaper way to know that it
    /// stays.
    open func startMonitoringVisits() {
        client.watchVisits(true)
    }

    /// Stops the delivery of visits. One that goes on is forgotten.
    open func stopMonitoringVisits() {
        client.watchVisits(false)
    }

    // MARK: Availability

    /// Whether regions of a class can be monitored: circular ones always, those of beacons where these can be heard.
    open class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool {
        if regionClass is CLBeaconRegion.Type { return LiveDevice.resolved.beaconSource.problem == nil }
        return regionClass is CLCircularRegion.Type
    }

    /// Whether the use of the position is switched on for this device.
    ///
    /// True by default. Unlike the authorization it is the same for all programs; see `LocationAuthorization`. Whether
    /// gpsd can be reached right now is not part of it: it may come later.
    open class func locationServicesEnabled() -> Bool {
        LocationAuthorization.current.servicesEnabled
    }

    /// True: significant changes are derived from the standard service.
    open class func significantLocationChangeMonitoringAvailable() -> Bool {
        true
    }

    /// Whether the device can tell a heading now: it has a magnetometer and an accelerometer, or a compass of gpsd has
    /// been heard.
    ///
    /// gpsd does not say beforehand which receiver is a compass. One counts from its first report on, and some manager
    /// has to listen for that. If only such a compass is expected, start location updates first, or start headings
    /// without asking. The first call may take a few seconds when a server has to be asked for sensors.
    open class func headingAvailable() -> Bool {
        LocationClient.isHeadingAvailable(on: LiveDevice.resolved)
    }

    /// Whether beacons can be heard now: BlueZ runs and has an adapter that is switched on.
    ///
    /// When they cannot, `locationManager(_:didFailRangingFor:error:)` says why and what to do; ranging may be started all
    /// the same, and begins when it can. The first call asks BlueZ, which takes some milliseconds, and two seconds at most.
    open class func isRangingAvailable() -> Bool {
        LiveDevice.resolved.beaconSource.problem == nil
    }

    // MARK: Authorization

    /// Whether the program may know where the device is.
    open var authorizationStatus: CLAuthorizationStatus { client.authorization.status }

    /// How exactly the program may know it.
    open var accuracyAuthorization: CLAccuracyAuthorization { client.authorization.accuracy }

    /// Asks for the use of the position while the program runs in the foreground. Acts only while nothing is decided.
    ///
    /// The answer is told to the delegate. Linux has no prompt: the configuration answers, or the program's own
    /// `LocationPolicy`. By default it is granted.
    open func requestWhenInUseAuthorization() {
        client.authorization.request(.whenInUse, purpose: client.settings.purpose)
    }

    /// Asks for the use of the position at any time. Acts while nothing is decided, and once more as an upgrade.
    open func requestAlwaysAuthorization() {
        client.authorization.request(.always, purpose: client.settings.purpose)
    }

    /// Asks for full accuracy while only a reduced one is allowed. The delegate is told of the change.
    open func requestTemporaryFullAccuracyAuthorization(withPurposeKey purposeKey: String) {
        client.authorization.request(.temporaryFullAccuracy(purposeKey: purposeKey), purpose: client.settings.purpose)
    }

    /// Asks for full accuracy; the closure is called when that is decided, with an error when it was refused.
    open func requestTemporaryFullAccuracyAuthorization(
        withPurposeKey purposeKey: String, completion: (((any Error)?) -> Void)?
    ) {
        // Called once, where the request is decided. Not @Sendable, as on Apple's platforms: protocols that programs
        // put before a manager would not be met otherwise.
        nonisolated(unsafe) let completion = completion
        requestFullAccuracy(purposeKey) { completion?($0) }
    }

    /// Asks for full accuracy and returns when that is decided; throws when it was refused.
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

    /// Whether the program may know where the device is.
    @available(*, deprecated, message: "Use the property of a manager.")
    open class func authorizationStatus() -> CLAuthorizationStatus {
        LocationAuthorization.current.status
    }

    // MARK: Former API

    /// What the position is used for, in words for the user; policies and `LocationAuthorization.uses` show it.
    ///
    /// Apple's platforms have the text in Info.plist now; here it is configured as `location.purpose`.
    @available(*, deprecated, message: "Configure location.purpose.")
    open var purpose: String? {
        get { client.settings.purpose }
        set { client.set { $0.purpose = newValue } }
    }

    /// The former form of `startMonitoring(for:)`. The accuracy has no effect.
    @available(*, deprecated, message: "Use startMonitoring(for:).")
    open func startMonitoring(for region: CLRegion, desiredAccuracy accuracy: CLLocationAccuracy) {
        startMonitoring(for: region)
    }

    /// True: circular regions can be monitored.
    @available(*, deprecated, message: "Use isMonitoringAvailable(for:).")
    open class func regionMonitoringAvailable() -> Bool { true }

    /// Whether the use of the position is switched on.
    @available(*, deprecated, message: "Use isMonitoringAvailable(for:) and the authorization.")
    open class func regionMonitoringEnabled() -> Bool { locationServicesEnabled() }

    /// The former form of the class method.
    @available(*, deprecated, message: "Use the class method.")
    open var locationServicesEnabled: Bool { client.authorization.servicesEnabled }

    /// The former form of the class method.
    @available(*, deprecated, message: "Use the class method.")
    open var headingAvailable: Bool { LocationClient.isHeadingAvailable(on: client.device) }

    /// False: nothing on Linux stores fixes for later.
    @available(*, deprecated, message: "Deferred updates do not exist on Linux.")
    open class func deferredLocationUpdatesAvailable() -> Bool { false }

    /// Answers the delegate that it failed: nothing on Linux stores fixes for later.
    @available(*, deprecated, message: "Deferred updates do not exist on Linux.")
    open func allowDeferredLocationUpdates(untilTraveled distance: CLLocationDistance, timeout: TimeInterval) {
        client.refuseDeferredUpdates()
    }

    /// Does nothing.
    @available(*, deprecated, message: "Deferred updates do not exist on Linux.")
    open func disallowDeferredLocationUpdates() {}
}
