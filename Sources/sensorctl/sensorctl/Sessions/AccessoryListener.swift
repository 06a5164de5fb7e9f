// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import ExternalAccessory

/// Prints the connected accessories and any changes to the list. `@unchecked Sendable` is safe, because the listener is
/// used only on the main thread.
final class AccessoryListener: StreamListener, @unchecked Sendable {
    let outlet: ReadingOutlet
    private let manager = EAAccessoryManager.shared()
    private let clock: any DeviceClock
    private var observers: [any NSObjectProtocol] = []

    init(clock: any DeviceClock, outlet: ReadingOutlet) { (self.clock, self.outlet) = (clock, outlet) }

    func start() {
        for (name, change) in [
            (NSNotification.Name.EAAccessoryDidConnect, AccessoryChangeReading.Change.connected),
            (NSNotification.Name.EAAccessoryDidDisconnect, .disconnected),
        ] {
            observers.append(
                NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) {
                    [weak self] notification in
                    self?.process(change, notification.userInfo?[EAAccessoryKey] as? EAAccessory)
                })
        }
        manager.registerForLocalNotifications()
        outlet.printUncounted(makeReading(.present, manager.connectedAccessories))
    }

    func end() {
        manager.unregisterForLocalNotifications()
        for observer in observers { NotificationCenter.default.removeObserver(observer) }
        observers = []
    }

    private func process(_ change: AccessoryChangeReading.Change, _ accessory: EAAccessory?) {
        if let accessory { outlet.print(makeReading(change, [accessory])) }
    }

    private func makeReading(_ change: AccessoryChangeReading.Change, _ accessories: [EAAccessory])
        -> AccessoryChangeReading
    {
        AccessoryChangeReading(
            change: change, accessories: accessories.map(AccessoryReading.init), time: clock.wallTime)
    }
}

extension AccessoryReading {
    fileprivate init(_ accessory: EAAccessory) {
        self.init(
            connectionID: accessory.connectionID, name: accessory.name, manufacturer: accessory.manufacturer,
            model: accessory.modelNumber, serial: accessory.serialNumber, firmware: accessory.firmwareRevision,
            hardware: accessory.hardwareRevision, port: accessory.portPath, protocols: accessory.protocolStrings)
    }
}
