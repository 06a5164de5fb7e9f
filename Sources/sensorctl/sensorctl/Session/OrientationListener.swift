// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import DeviceSupport
import Foundation

/// The device's orientation, each time that it changes.
///
/// Unchecked: it is used on the main thread, where the notifications are posted too.
final class OrientationListener: StreamListener, @unchecked Sendable {
    private let device = UIDevice.current
    private let clock: any DeviceClock
    private let printer: any MotionPrinter
    private var countdown: Countdown
    private var observer: (any NSObjectProtocol)?

    init(clock: any DeviceClock, printer: any MotionPrinter, stop: Stop, limit: Int? = nil) {
        self.clock = clock
        self.printer = printer
        countdown = Countdown(limit: limit, stop: stop)
    }

    var count: Int { countdown.count }
    var isComplete: Bool { countdown.isComplete }

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
        guard countdown.take() > 0 else { return }
        printer.print(orientation: device.orientation.name, timestamp: clock.now.seconds)
    }
}

extension UIDeviceOrientation {
    /// The name of the case.
    var name: String {
        switch self {
        case .unknown: "unknown"
        case .portrait: "portrait"
        case .portraitUpsideDown: "portraitUpsideDown"
        case .landscapeLeft: "landscapeLeft"
        case .landscapeRight: "landscapeRight"
        case .faceUp: "faceUp"
        case .faceDown: "faceDown"
        }
    }
}
