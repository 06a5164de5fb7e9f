// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import DeviceSupport
import Testing

/// A recorder of one device's notifications.
@MainActor
final class Notifications {
    private(set) var received: [String] = []
    private var token: (any NSObjectProtocol)?

    init(_ name: NSNotification.Name, of device: UIDevice, message: @escaping @MainActor (UIDevice) -> String) {
        token = NotificationCenter.default.addObserver(forName: name, object: device, queue: nil) { [weak self] post in
            guard let device = post.object as? UIDevice else { return }
            MainActor.assumeIsolated { self?.received.append(message(device)) }
        }
    }

    func end() {
        if let token { NotificationCenter.default.removeObserver(token) }
    }
}

@Suite("Orientation of UIDevice") @MainActor
struct OrientationTests {
    let test = UIDeviceBench()
    let device: UIDevice
    let notifications: Notifications

    init() {
        device = test.use { UIDevice.current }
        notifications = Notifications(UIDevice.orientationDidChangeNotification, of: device) {
            "\($0.orientation)"
        }
    }

    /// Returns the reading of an accelerometer at rest, in m/s², positive on the axis that points up.
    private static func pose(_ orientation: UIDeviceOrientation) -> SIMD3<Double> {
        let up = UIDeviceBench.gravity
        switch orientation {
        case .portrait: return [0, up, 0]  // the top edge points up
        case .portraitUpsideDown: return [0, -up, 0]
        case .landscapeLeft: return [up, 0, 0]  // the right edge points up
        case .landscapeRight: return [-up, 0, 0]
        case .faceUp: return [0, 0, up]
        case .faceDown: return [0, 0, -up]
        case .unknown: return .zero
        }
    }

    @Test("Six consecutive poses are each posted once")
    func sixPoses() {
        let poses: [UIDeviceOrientation] = [
            .portrait, .landscapeLeft, .portraitUpsideDown, .landscapeRight, .faceUp, .faceDown,
        ]
        device.beginGeneratingDeviceOrientationNotifications()
        for pose in poses {
            test.feed(seconds: 2) { _ in Self.pose(pose) }
            #expect(device.orientation == pose)
        }
        #expect(notifications.received == poses.map { "\($0)" })
        notifications.end()
    }

    @Test("Without a begin call, the orientation is unknown and the accelerometer is off")
    func unknownWithoutBegin() {
        test.feed(seconds: 1) { _ in Self.pose(.portrait) }
        #expect(device.orientation == .unknown)
        #expect(!device.isGeneratingDeviceOrientationNotifications)
        #expect(test.interval == nil)
        device.beginGeneratingDeviceOrientationNotifications()
        #expect(device.orientation == .unknown)
        #expect(test.interval == 1.0 / 15)
        test.feed(seconds: 1) { _ in Self.pose(.portrait) }
        #expect(device.orientation == .portrait)
        notifications.end()
    }

    @Test("Begin calls are counted, and the accelerometer stops after the last end call")
    func nesting() {
        device.endGeneratingDeviceOrientationNotifications()
        device.beginGeneratingDeviceOrientationNotifications()
        device.beginGeneratingDeviceOrientationNotifications()
        test.feed(seconds: 1) { _ in Self.pose(.faceUp) }
        device.endGeneratingDeviceOrientationNotifications()
        #expect(device.isGeneratingDeviceOrientationNotifications)
        #expect(device.orientation == .faceUp)
        device.endGeneratingDeviceOrientationNotifications()
        #expect(!device.isGeneratingDeviceOrientationNotifications)
        #expect(device.orientation == .unknown)
        #expect(test.interval == nil)
        #expect(notifications.received == ["faceUp"])
        // The same pose is posted again after a new begin call.
        device.beginGeneratingDeviceOrientationNotifications()
        test.feed(seconds: 1) { _ in Self.pose(.faceUp) }
        #expect(notifications.received == ["faceUp", "faceUp"])
        notifications.end()
    }

    @Test("No notification is posted after the last end call has returned")
    func nothingAfterEnd() {
        device.beginGeneratingDeviceOrientationNotifications()
        test.feed(seconds: 1, runsCallbacks: false) { _ in Self.pose(.portrait) }
        device.endGeneratingDeviceOrientationNotifications()
        test.callbacks.run()
        #expect(notifications.received.isEmpty)
        notifications.end()
    }

    @Test("Changes while the main thread is blocked are posted as one notification, or none if they cancel out")
    func coalesced() {
        device.beginGeneratingDeviceOrientationNotifications()
        test.feed(seconds: 1) { _ in Self.pose(.portrait) }
        let poses: [UIDeviceOrientation] = [.landscapeLeft, .portraitUpsideDown, .faceUp]
        for pose in poses { test.feed(seconds: 2, runsCallbacks: false) { _ in Self.pose(pose) } }
        test.callbacks.run()
        #expect(notifications.received == ["portrait", "faceUp"])
        for pose in [UIDeviceOrientation.portrait, .faceUp] {
            test.feed(seconds: 2, runsCallbacks: false) { _ in Self.pose(pose) }
        }
        test.callbacks.run()
        #expect(notifications.received == ["portrait", "faceUp"])
        notifications.end()
    }

    @Test("Without the accelerometer, the orientation is unknown until the sensor is available again")
    func lost() {
        device.beginGeneratingDeviceOrientationNotifications()
        test.feed(seconds: 1) { _ in Self.pose(.faceDown) }
        test.motion.setStatus(.unavailable(DeviceError(.connectionLost, "Unplugged.")), of: test.sensor)
        test.callbacks.run()
        #expect(device.orientation == .unknown)
        test.motion.setStatus(.available, of: test.sensor)
        test.feed(seconds: 1) { _ in Self.pose(.faceDown) }
        #expect(notifications.received == ["faceDown", "unknown", "faceDown"])
        notifications.end()
    }

    @Test("Orientations have Apple's raw values and categories")
    func kinds() {
        let all: [UIDeviceOrientation] = [
            .unknown, .portrait, .portraitUpsideDown, .landscapeLeft, .landscapeRight, .faceUp, .faceDown,
        ]
        #expect(all.map(\.rawValue) == Array(0...6))
        #expect(all.filter(\.isPortrait) == [.portrait, .portraitUpsideDown])
        #expect(all.filter(\.isLandscape) == [.landscapeLeft, .landscapeRight])
        #expect(all.filter(\.isFlat) == [.faceUp, .faceDown])
        #expect(all.filter(\.isValidInterfaceOrientation) == Array(all[1...4]))
        notifications.end()
    }
}
