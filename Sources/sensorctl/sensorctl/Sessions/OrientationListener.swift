// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import DeviceSupport
import Foundation

/// The device's orientation, each time that it changes.
///
/// Unchecked: it is used on the main thread, where the notifications are posted too.
final class OrientationListener: StreamListener, @unchecked Sendable {
    let outlet: ReadingOutlet
    private let device = UIDevice.current
    private let clock: any DeviceClock
    private var observer: (any NSObjectProtocol)?

    init(clock: any DeviceClock, outlet: ReadingOutlet) {
        self.clock = clock
        self.outlet = outlet
    }

    func start() {
        observer = NotificationCenter.default.addObserver(
            forName: UIDevice.orientationDidChangeNotification, object: device, queue: nil
        ) { [weak self] _ in self?.take() }
        device.beginGeneratingDeviceOrientationNotifications()
    }

    func end() {
        device.endGeneratingDeviceOrientationNotifications()
        if let observer { NotificationCenter.default.removeObserver(observer) }
        observer = nil
    }

    private func take() {
        outlet.print(OrientationReading(orientation: device.orientation, timestamp: clock.now.seconds))
    }
}
