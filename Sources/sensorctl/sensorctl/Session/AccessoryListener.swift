// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import ExternalAccessory

/// What the accessory manager tells: who is there, who comes, who goes.
///
/// Unchecked: it is used on the main thread, where the notifications are posted too.
final class AccessoryListener: StreamListener, @unchecked Sendable {
    private let manager = EAAccessoryManager.shared()
    private let printer: any AccessoryPrinter
    private let clock: any DeviceClock
    private var countdown: Countdown
    private var observers: [any NSObjectProtocol] = []

    init(clock: any DeviceClock, printer: any AccessoryPrinter, stop: Stop, limit: Int? = nil) {
        self.clock = clock
        self.printer = printer
        countdown = Countdown(limit: limit, stop: stop)
    }

    var count: Int { countdown.count }
    var isComplete: Bool { countdown.isComplete }

    func start() {
        for (name, change) in [
            (NSNotification.Name.EAAccessoryDidConnect, AccessoryChange.connected),
            (NSNotification.Name.EAAccessoryDidDisconnect, .disconnected),
        ] {
            observers.append(
                NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) {
                    [weak self] notification in
                    self?.take(change, notification.userInfo?[EAAccessoryKey] as? EAAccessory)
                })
        }
        manager.registerForLocalNotifications()
        printer.print(present: manager.connectedAccessories.map(AccessoryReading.init), at: clock.wallTime)
    }

    func end() {
        manager.unregisterForLocalNotifications()
        for observer in observers { NotificationCenter.default.removeObserver(observer) }
        observers = []
    }

    private func take(_ change: AccessoryChange, _ accessory: EAAccessory?) {
        guard let accessory, countdown.take() > 0 else { return }
        printer.print(change, AccessoryReading(accessory), at: clock.wallTime)
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
