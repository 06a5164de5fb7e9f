// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
public import Foundation
package import LiveDevice
import Synchronization

/// Knows which accessories are connected, and tells when one comes or goes.
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
/// Accessories are USB devices and serial ports that speak a named protocol, and what the configuration declares; only
/// those that are ready to be talked to are listed.
///
/// **Notifications** are posted to `NotificationCenter.default` on the main thread, which needs `RunLoop.main.run()`,
/// `dispatchMain()` or an async main. They wait while the main thread is busy. An accessory that has come and gone
/// meanwhile posts nothing, unless a session with it was opened; one that has gone and come again posts both. Accessories that are there when a program
/// registers are not announced: ask for `connectedAccessories`.
///
/// **When an accessory goes** its streams end, as `EASession` says; then its delegate is told; then the notification is
/// posted. From the delegate's call on `isConnected` is false, and the accessory is not listed any more. When a stream
/// ends it may be either: a port may hang up before the system says that its device is gone, or after, and an accessory
/// that stays may close its side too. Streams that are scheduled on another run loop than the main one end there, before
/// or after the delegate is told.
///
/// The manager's device is that of `SimulatedDevice.use`, else the live one. All members can be used on any thread.
open class EAAccessoryManager: NSObject, @unchecked Sendable {
    // Unchecked because of subclasses; the client is locked.
    let client: AccessoryClient

    /// The manager of the device in force here.
    open class func shared() -> EAAccessoryManager {
        let device = LiveDevice.resolvedWithAccessories
        let manager = device.component(EAAccessoryManager.self) {
            EAAccessoryManager(client: $0.component(AccessoryClient.self, make: AccessoryClient.init))
        }
        manager.client.attach(manager)
        return manager
    }

    /// Another object for the accessories of the device in force, for tests that override members; a program wants
    /// `shared()`. Apple's raises.
    public override init() {
        client = LiveDevice.resolvedWithAccessories.component(AccessoryClient.self, make: AccessoryClient.init)
        super.init()
    }

    init(client: AccessoryClient) {
        self.client = client
        super.init()
    }

    /// The accessories that are connected now, in the order in which they came.
    ///
    /// The first look takes some milliseconds. Needs no registration.
    open var connectedAccessories: [EAAccessory] { client.accessories }

    /// Posts connections and disconnections, until `unregisterForLocalNotifications()` was called as often as this.
    ///
    /// Observers may be added before or after.
    open func registerForLocalNotifications() {
        client.register()
    }

    /// Takes one registration back. After the last one nothing is posted, not even what waits for the main thread. A
    /// call without a registration does nothing.
    open func unregisterForLocalNotifications() {
        client.unregister()
    }
}

/// The key in the user information of both notifications for the accessory, an ``EAAccessory``.
public let EAAccessoryKey = "EAAccessoryKey"

/// The key in the user information of a connection for the accessory that was chosen in a picker. Never there: Linux has
/// no picker.
public let EAAccessorySelectedKey = "EAAccessorySelectedKey"

// The object of each is the shared manager.
extension NSNotification.Name {
    /// An accessory is connected and ready; `EAAccessoryKey` tells which.
    public static let EAAccessoryDidConnect = NSNotification.Name("EAAccessoryDidConnectNotification")

    /// An accessory is gone; `EAAccessoryKey` tells which.
    public static let EAAccessoryDidDisconnect = NSNotification.Name("EAAccessoryDidDisconnectNotification")
}

/// A function of UdevSource, joined at link time: see LiveDevice.
@_silgen_name("DeviceServices_liveAccessorySource")
private func liveAccessorySource(configuration: Configuration, clock: any DeviceClock) -> any AccessorySource

extension LiveDevice {
    private static let accessorySource = liveAccessorySource(configuration: shared.configuration, clock: shared.clock)

    private static let linked: Void = link { accessorySource }

    /// `shared`, with what is attached to it.
    package static var withAccessories: Device {
        _ = linked
        return shared
    }

    /// `resolved`, with what is attached to it.
    static var resolvedWithAccessories: Device {
        _ = linked
        return resolved
    }
}
