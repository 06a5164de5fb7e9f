// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
public import Foundation
package import LiveDevice
import Synchronization

/// Lists the connected accessories, and reports connections and disconnections.
///
/// ```swift
/// let manager = EAAccessoryManager.shared()
/// for accessory in manager.connectedAccessories where accessory.protocolStrings.contains("com.example.scale") {
///     print(accessory.name)
/// }
/// manager.registerForLocalNotifications()
/// let token = NotificationCenter.default.addObserver(
///     forName: .EAAccessoryDidConnect, object: nil, queue: nil
/// ) { note in
///     if let accessory = note.userInfo?[EAAccessoryKey] as? EAAccessory { print(accessory.name) }
/// }
/// ```
///
/// An accessory is a USB device or serial port with a named protocol, or one declared in the configuration. Only
/// accessories that are ready for a session are listed.
///
/// **Notifications** are posted to `NotificationCenter.default` on the main thread, which requires
/// `RunLoop.main.run()`, `dispatchMain()` or an async main. While the main thread is busy, notifications are deferred.
/// If an accessory is connected and disconnected in the meantime, neither notification is posted, unless the app has
/// opened a session with it. If an accessory is disconnected and reconnected, both notifications are posted.
/// Accessories connected before the app registers are not reported, but are listed in `connectedAccessories`.
///
/// **When an accessory is disconnected**, its streams end as described in `EASession`. Then the accessory's delegate is
/// called, and the notification is posted. When the delegate is called, `isConnected` is already false and the
/// accessory is no longer listed. When a stream ends, `isConnected` may still be true, because the accessory may have
/// closed only its side, or because the system has not yet reported the device's removal. Streams scheduled on another
/// run loop end on that run loop, before or after the delegate is called.
///
/// The manager uses the simulated device set with `SimulatedDevice.use`, or the live device if none is set. All members
/// can be used from any thread.
open class EAAccessoryManager: NSObject, @unchecked Sendable {
    // `@unchecked Sendable` because the compiler cannot check an open class. The client is thread-safe.
    let client: AccessoryClient

    /// Returns the current device's manager.
    open class func shared() -> EAAccessoryManager {
        let device = LiveDevice.resolvedWithAccessories
        let manager = device.component(EAAccessoryManager.self) {
            EAAccessoryManager(client: $0.component(AccessoryClient.self, make: AccessoryClient.init))
        }
        manager.client.attach(manager)
        return manager
    }

    /// Creates an additional manager for the current device, for tests that override members. Apps use `shared()`.
    /// Apple's implementation raises an exception.
    public override init() {
        client = LiveDevice.resolvedWithAccessories.component(AccessoryClient.self, make: AccessoryClient.init)
        super.init()
    }

    init(client: AccessoryClient) {
        self.client = client
        super.init()
    }

    /// The connected accessories, in order of connection.
    ///
    /// The first access takes a few milliseconds. Registering for notifications is not required.
    open var connectedAccessories: [EAAccessory] { client.accessories }

    /// Starts posting notifications. Balance each call with a call to `unregisterForLocalNotifications()`.
    ///
    /// Observers can be added before or after this call.
    open func registerForLocalNotifications() { client.register() }

    /// Removes one registration. Removing the last registration discards pending notifications and stops posting. Does
    /// nothing if there is no registration.
    open func unregisterForLocalNotifications() { client.unregister() }
}

/// The user info key of the ``EAAccessory`` in connection and disconnection notifications.
public let EAAccessoryKey = "EAAccessoryKey"

/// The user info key of the accessory that was selected in a picker. Never present, because Linux has no picker.
public let EAAccessorySelectedKey = "EAAccessorySelectedKey"

extension NSNotification.Name {
    /// Posted when an accessory is connected and ready. `EAAccessoryKey` contains the accessory.
    public static let EAAccessoryDidConnect = NSNotification.Name("EAAccessoryDidConnectNotification")

    /// Posted when an accessory is disconnected. `EAAccessoryKey` contains the accessory.
    public static let EAAccessoryDidDisconnect = NSNotification.Name("EAAccessoryDidDisconnectNotification")
}

/// A function in the module UdevSource, which this module does not import. The linker resolves its name. See
/// `LiveDevice`.
@_silgen_name("DeviceServices_liveAccessorySource")
private func liveAccessorySource(configuration: Configuration, clock: any DeviceClock) -> any AccessorySource

extension LiveDevice {
    private static let accessorySource = liveAccessorySource(configuration: shared.configuration, clock: shared.clock)

    private static let linked: Void = setAccessorySourceFactory { accessorySource }

    /// Links the live accessory source and returns `shared`.
    package static var withAccessories: Device {
        _ = linked
        return shared
    }

    static var resolvedWithAccessories: Device {
        _ = linked
        return resolved
    }
}
