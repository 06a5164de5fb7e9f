// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

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
