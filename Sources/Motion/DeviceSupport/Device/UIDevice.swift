// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation
import LiveDevice

/// The machine on which the app runs.
///
/// `current` is the device set with `SimulatedDevice.use`, or the live device by default. Notifications are posted on
/// the main queue, which requires `RunLoop.main.run()`, `dispatchMain()` or an async `main`. The class is thread-safe.
///
/// If a trace is played back in order and the main queue does not run on the main thread, add observers with
/// `queue: nil`. Otherwise, `post` waits for the main queue, which causes a deadlock.
///
/// A simulated device reveals nothing about the machine that plays the trace.
///
/// ```swift
/// let device = UIDevice.current
/// device.beginGeneratingDeviceOrientationNotifications()
/// let token = NotificationCenter.default.addObserver(
///     forName: UIDevice.orientationDidChangeNotification, object: device, queue: nil
/// ) { _ in print(UIDevice.current.orientation) }
/// ```
open class UIDevice: NSObject, @unchecked Sendable {
    // `@unchecked Sendable` because subclasses may add state. The monitors protect their state with locks.
    let orientationMonitor: OrientationMonitor
    let batteryMonitor: BatteryMonitor
    let identity: MachineIdentity

    /// The current device.
    open class var current: UIDevice { LiveDevice.resolved.component(UIDevice.self) { UIDevice(device: $0) } }

    /// Creates a separate object that posts its own notifications. It counts only calls to its own `begin` and `end`
    /// methods. Apps normally use `current`.
    public convenience override init() { self.init(device: LiveDevice.resolved) }

    init(device: Device) {
        orientationMonitor = OrientationMonitor(device: device)
        batteryMonitor = BatteryMonitor(device: device)
        identity = MachineIdentity.identity(of: device)
        super.init()
        orientationMonitor.poster.attach(self)
        batteryMonitor.poster.attach(self)
    }

    // MARK: Orientation

    /// The orientation of the device. It is `unknown` while no notifications are generated or the accelerometer is
    /// unavailable.
    ///
    /// The orientation is determined within about a third of a second. Shaking does not change it.
    open var orientation: UIDeviceOrientation { orientationMonitor.orientation }
    /// True while a call to the `begin` method has not been balanced by a call to the `end` method.
    open var isGeneratingDeviceOrientationNotifications: Bool { orientationMonitor.isGenerating }

    /// Starts the accelerometer at 15 Hz or faster and enables orientation notifications. Calls can be nested. Each
    /// call must be balanced by a call to `endGeneratingDeviceOrientationNotifications()`.
    open func beginGeneratingDeviceOrientationNotifications() { orientationMonitor.begin() }

    /// Balances one call to `beginGeneratingDeviceOrientationNotifications()`. When all calls are balanced, the
    /// orientation becomes `unknown`, and the accelerometer stops unless it has other subscribers.
    open func endGeneratingDeviceOrientationNotifications() { orientationMonitor.end() }

    // MARK: Battery

    /// True if the battery is monitored. The default is false.
    open var isBatteryMonitoringEnabled: Bool {
        get { batteryMonitor.isEnabled }
        set { batteryMonitor.isEnabled = newValue }
    }

    /// The combined charge of all batteries, from 0 to 1. It is -1 while monitoring is disabled, or if there is no
    /// battery.
    open var batteryLevel: Float { batteryMonitor.level }
    /// The battery state. It is `unknown` while monitoring is disabled, or if there is no battery.
    open var batteryState: BatteryState { batteryMonitor.state }

    // MARK: Proximity

    /// Always false, because there is no proximity source yet. Setting the property has no effect.
    open var isProximityMonitoringEnabled: Bool {
        get { false }
        set {}
    }

    /// Always false, because there is no proximity source yet.
    open var proximityState: Bool { false }

    // MARK: Identity

    /// The host name of the machine, or the name of the trace on a simulated device.
    open var name: String { identity.name }
    /// The model of the machine, for example "Raspberry Pi 4 Model B Rev 1.4", or "Linux" if the model is unknown. On a
    /// simulated device, it is "Simulated Device".
    open var model: String { identity.model }
    /// The same as `model`, because models are not localized.
    open var localizedModel: String { identity.model }
    /// The name of the distribution, for example "Debian GNU/Linux", or "Linux" if the name is unknown.
    open var systemName: String { identity.systemName }
    /// The version of the distribution, for example "12", or the kernel version if the distribution's version is
    /// unknown.
    open var systemVersion: String { identity.systemVersion }
    /// A machine identifier that is the same for all apps from one vendor, or nil if the machine has no machine ID.
    ///
    /// The identifier remains the same until the system is reinstalled. It is derived from `/etc/machine-id` and from
    /// the vendor part of the app's bundle identifier. Without a bundle identifier, the app's name is used. The
    /// identifier does not reveal the machine ID.
    open var identifierForVendor: UUID? { identity.vendorIdentifier }
    /// Always true.
    open var isMultitaskingSupported: Bool { true }
    /// Always `unspecified`, because a board is neither a phone nor a tablet.
    open var userInterfaceIdiom: UIUserInterfaceIdiom { .unspecified }
}

extension UIDevice {
    /// The state of a battery.
    public enum BatteryState: Int, Sendable {
        /// The battery is not monitored, is missing, or does not report its state.
        case unknown = 0
        /// The machine runs on battery power.
        case unplugged = 1
        /// The machine is powered externally, and the battery is not full.
        case charging = 2
        /// The machine is powered externally, and the battery is full.
        case full = 3

        init(_ state: BatteryReading.State?) {
            switch state {
            case .unplugged: self = .unplugged
            case .charging: self = .charging
            case .full: self = .full
            case .unknown, nil: self = .unknown
            }
        }
    }

    // The `object` of each notification is the `UIDevice`.

    /// Posted when `orientation` changes, including changes from and to `unknown`.
    public static let orientationDidChangeNotification = NSNotification.Name("UIDeviceOrientationDidChangeNotification")

    /// Posted immediately when `batteryState` changes.
    public static let batteryStateDidChangeNotification = NSNotification.Name(
        "UIDeviceBatteryStateDidChangeNotification")

    /// Posted at most once a minute, when `batteryLevel` has changed by at least one percentage point.
    public static let batteryLevelDidChangeNotification = NSNotification.Name(
        "UIDeviceBatteryLevelDidChangeNotification")

    /// Never posted, because there is no proximity source yet.
    public static let proximityStateDidChangeNotification = NSNotification.Name(
        "UIDeviceProximityStateDidChangeNotification")
}

/// The type of device that a user interface is designed for.
public enum UIUserInterfaceIdiom: Int, Sendable {
    /// Unspecified. Used for Linux boards.
    case unspecified = -1
    /// A phone.
    case phone = 0
    /// A tablet.
    case pad = 1
    /// A television.
    case tv = 2
    /// The screen of a car.
    case carPlay = 3
    /// A computer.
    case mac = 5
    /// A headset.
    case vision = 6
}

/// The orientation of the device, which may differ from the orientation of the content on its screen.
public enum UIDeviceOrientation: Int, Sendable {
    /// The orientation is unknown or is not being determined.
    case unknown = 0
    /// Upright, with the top edge up.
    case portrait = 1
    /// Upright, with the top edge down.
    case portraitUpsideDown = 2
    /// Upright, turned counterclockwise so that the right edge is up.
    case landscapeLeft = 3
    /// Upright, turned clockwise so that the left edge is up.
    case landscapeRight = 4
    /// Flat, with the screen up.
    case faceUp = 5
    /// Flat, with the screen down.
    case faceDown = 6

    /// True if the top edge is up or down.
    public var isPortrait: Bool { self == .portrait || self == .portraitUpsideDown }
    /// True if the left or right edge is up.
    public var isLandscape: Bool { self == .landscapeLeft || self == .landscapeRight }
    /// True if the device is lying face up or face down.
    public var isFlat: Bool { self == .faceUp || self == .faceDown }
    /// True if the device is upright. Only these orientations are useful for user interfaces.
    public var isValidInterfaceOrientation: Bool { isPortrait || isLandscape }
}
