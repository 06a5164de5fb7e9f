// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation
import LiveDevice

/// The machine that the program runs on: how it is held, its battery, its name.
///
/// There is one for each device in force: that of `SimulatedDevice.use`, else the live one. Its notifications are
/// posted to `NotificationCenter.default` on the main queue, which needs `RunLoop.main.run()`, `dispatchMain()` or an
/// async main. Safe to use from any thread.
///
/// While a trace is played in order and the main queue does not run on the main thread, as in tests, observe with
/// `queue: nil`. With another queue Foundation waits inside the post for an operation of that queue. On the main queue
/// it would wait for ever.
///
/// A simulated device tells nothing of the machine it is played on: its name is that of the trace, and what a trace
/// does not tell has a fixed value.
///
/// ```swift
/// let device = UIDevice.current
/// device.beginGeneratingDeviceOrientationNotifications()
/// let token = NotificationCenter.default.addObserver(
///     forName: UIDevice.orientationDidChangeNotification, object: device, queue: nil
/// ) { _ in print(UIDevice.current.orientation) }
/// ```
open class UIDevice: NSObject, @unchecked Sendable {
    // Unchecked because of subclasses; the parts are locked.
    let orientationMonitor: OrientationMonitor
    let batteryMonitor: BatteryMonitor
    let identity: MachineIdentity

    /// The device in force here.
    open class var current: UIDevice { LiveDevice.resolved.component(UIDevice.self) { UIDevice(device: $0) } }

    /// Another object for the device in force, which counts and posts by itself; `current` is what a program wants.
    public convenience override init() { self.init(device: LiveDevice.resolved) }

    init(device: Device) {
        orientationMonitor = OrientationMonitor(device: device)
        batteryMonitor = BatteryMonitor(device: device)
        identity = MachineIdentity.of(device)
        super.init()
        orientationMonitor.post.attach(self)
        batteryMonitor.post.attach(self)
    }

    // MARK: Orientation

    /// How the device is held; unknown unless notifications are generated, for a moment after they begin, and while the
    /// accelerometer is missing.
    ///
    /// It takes a third of a second or so to become known, and stays as it is while the device is shaken.
    open var orientation: UIDeviceOrientation { orientationMonitor.orientation }

    /// True between a begin and the end that belongs to it.
    open var isGeneratingDeviceOrientationNotifications: Bool { orientationMonitor.isGenerating }

    /// Turns the accelerometer on and begins to tell how the device is held. Calls nest: each needs its end.
    ///
    /// The accelerometer runs at 15 Hz for it, or faster when others want that.
    open func beginGeneratingDeviceOrientationNotifications() { orientationMonitor.begin() }

    /// Takes a begin back. With the last one the accelerometer is turned off, unless others use it, and the orientation
    /// is unknown again. An end without a begin does nothing.
    open func endGeneratingDeviceOrientationNotifications() { orientationMonitor.end() }

    // MARK: Battery

    /// Whether the battery is watched. Default: false.
    open var isBatteryMonitoringEnabled: Bool {
        get { batteryMonitor.isEnabled }
        set { batteryMonitor.isEnabled = newValue }
    }

    /// How full the battery is, 0 to 1; -1 while it is not watched, and when there is none.
    ///
    /// With several batteries it is the level of all of them together.
    open var batteryLevel: Float { batteryMonitor.level }

    /// What the battery does; unknown while it is not watched, and when there is none.
    open var batteryState: BatteryState { batteryMonitor.state }

    // MARK: Proximity

    /// False: there is no source of proximity yet, and setting it to true has no effect, as on a device without such a
    /// sensor.
    open var isProximityMonitoringEnabled: Bool {
        get { false }
        set {}
    }

    /// False: nothing is known to be near.
    open var proximityState: Bool { false }

    // MARK: Identity

    /// The name of the machine: its host name. On a simulated device the name of the trace.
    open var name: String { identity.name }

    /// What the machine is, for example "Raspberry Pi 4 Model B Rev 1.4": the model of its device tree, else the
    /// product name of its firmware, else "Linux". On a simulated device "Simulated Device".
    open var model: String { identity.model }

    /// The same as `model`: boards give it in one language only.
    open var localizedModel: String { identity.model }

    /// The name of the distribution, for example "Debian GNU/Linux"; "Linux" when it has none or no version.
    open var systemName: String { identity.systemName }

    /// The version of the distribution, for example "12"; the kernel's where `systemName` is "Linux".
    open var systemVersion: String { identity.systemVersion }

    /// An identifier of this machine for the programs of one vendor; nil when the machine has no id.
    ///
    /// It stays the same until the system is reinstalled. It is derived from `/etc/machine-id`, which it does not
    /// reveal, and from the vendor's part of the program's bundle identifier, or from the program's name when there is
    /// none. So programs of different vendors cannot recognise each other's users.
    open var identifierForVendor: UUID? { identity.vendorIdentifier }

    /// True.
    open var isMultitaskingSupported: Bool { true }

    /// Unspecified: a board is neither a phone nor a tablet.
    open var userInterfaceIdiom: UIUserInterfaceIdiom { .unspecified }
}

extension UIDevice {
    /// What a battery does.
    public enum BatteryState: Int, Sendable {
        /// Not watched, not there, or it does not say.
        case unknown = 0
        /// It feeds the machine.
        case unplugged = 1
        /// Power comes from outside, and it is not full.
        case charging = 2
        /// Power comes from outside, and it is full.
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
}

// The object of each is the device.
extension UIDevice {
    /// The device is held another way; `orientation` tells how. Also posted when the orientation becomes known, and
    /// when it is lost with the accelerometer.
    public static let orientationDidChangeNotification = NSNotification.Name("UIDeviceOrientationDidChangeNotification")

    /// The battery has another state. Posted at once.
    public static let batteryStateDidChangeNotification = NSNotification.Name(
        "UIDeviceBatteryStateDidChangeNotification")

    /// The battery is fuller or emptier by a percent or more. Posted at most once a minute.
    public static let batteryLevelDidChangeNotification = NSNotification.Name(
        "UIDeviceBatteryLevelDidChangeNotification")

    /// Something has come near or gone away. Never posted yet: there is no source of proximity.
    public static let proximityStateDidChangeNotification = NSNotification.Name(
        "UIDeviceProximityStateDidChangeNotification")
}

/// The kind of device that a program's surface is made for.
public enum UIUserInterfaceIdiom: Int, Sendable {
    /// None of the others: what a Linux board is.
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
