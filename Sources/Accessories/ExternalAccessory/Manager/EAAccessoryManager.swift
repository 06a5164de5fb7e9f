// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
public import Foundation
package import LiveDevice
import Synchronization

/// The registry of the connected accessories, which reports connections and disconnections.
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
/// Accessories are USB devices and serial ports with a named protocol, and the accessories that the configuration
/// declares. Only accessories that are ready for a session are listed.
///
/// **Notifications** are posted to `NotificationCenter.default` on the main thread, which requires
/// `RunLoop.main.run()`, `dispatchMain()` or an async main. They are deferred while the main thread is busy. An
/// accessory that is connected and disconnected in the meantime causes no notification, unless a session with it was
/// opened. An accessory that is disconnected and reconnected causes both notifications. Accessories that are connected
/// before the app registers are not reported; read `connectedAccessories`.
///
/// **When an accessory is disconnected**, its streams end, as described in `EASession`, its delegate is called and the
/// notification is posted, in this order. Starting with the delegate's call, `isConnected` is false and the accessory
/// is no longer listed. When a stream ends, the accessory may or may not still be connected: a port may hang up before
/// or after the system reports the removal of its device, and a connected accessory may also close its side. Streams
/// that are scheduled on another run loop end on that run loop, before or after the delegate's call.
///
/// The manager uses the device of `SimulatedDevice.use`, or the live device if none is set. All members can be used on
/// any thread.
open class EAAccessoryManager: NSObject, @unchecked Sendable {
    // Unchecked because the class is open; the client is thread-safe.
    let client: AccessoryClient

    /// Returns the manager of the current device.
    open class func shared() -> EAAccessoryManager {
        let device = LiveDevice.resolvedWithAccessories
        let manager = device.component(EAAccessoryManager.self) {
            EAAccessoryManager(client: $0.component(AccessoryClient.self, make: AccessoryClient.init))
        }
        manager.client.attach(manager)
        return manager
    }

    /// Creates another manager for the current device, for tests that override members. Apps use `shared()`. Apple's
    /// implementation raises an exception.
    public override init() {
        client = LiveDevice.resolvedWithAccessories.component(AccessoryClient.self, make: AccessoryClient.init)
        super.init()
    }

    init(client: AccessoryClient) {
        self.client = client
        super.init()
    }

    /// The connected accessories, in the order in which they were connected.
    ///
    /// The first access takes a few milliseconds. Does not require a registration.
    open var connectedAccessories: [EAAccessory] { client.accessories }

    /// Starts posting notifications. Balance each call with a call to `unregisterForLocalNotifications()`.
    ///
    /// Observers can be added before or after this call.
    open func registerForLocalNotifications() { client.register() }

    /// Removes one registration. After the last one, no notifications are posted; pending ones are discarded. Does
    /// nothing if there is no registration.
    open func unregisterForLocalNotifications() { client.unregister() }
}

/// The user info key for the accessory, an ``EAAccessory``, in both notifications.
public let EAAccessoryKey = "EAAccessoryKey"

/// The user info key for the accessory that was selected in a picker. Never present, because Linux has no picker.
public let EAAccessorySelectedKey = "EAAccessorySelectedKey"

// The object of both notifications is the shared manager.
extension NSNotification.Name {
    /// Posted when an accessory is connected and ready. `EAAccessoryKey` contains the accessory.
    public static let EAAccessoryDidConnect = NSNotification.Name("EAAccessoryDidConnectNotification")

    /// Posted when an accessory is disconnected. `EAAccessoryKey` contains the accessory.
    public static let EAAccessoryDidDisconnect = NSNotification.Name("EAAccessoryDidDisconnectNotification")
}

/// A function of UdevSource, resolved at link time; see `LiveDevice`.
@_silgen_name("DeviceServices_liveAccessorySource")
private func liveAccessorySource(configuration: Configuration, clock: any DeviceClock) -> any AccessorySource

extension LiveDevice {
    private static let accessorySource = liveAccessorySource(configuration: shared.configuration, clock: shared.clock)

    private static let linked: Void = setAccessorySourceFactory { accessorySource }

    /// `shared`, with the live accessory source linked.
    package static var withAccessories: Device {
        _ = linked
        return shared
    }

    static var resolvedWithAccessories: Device {
        _ = linked
        return resolved
    }
}
