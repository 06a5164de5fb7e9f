// SPDX-License-Identifier: Apache-2.0

/// The parts of a device to record.
public struct TraceParts: OptionSet, Sendable, Hashable {
    /// The parts as a bit mask.
    public let rawValue: UInt32

    /// Creates a set of parts from a bit mask.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// All lines from gpsd.
    public static let position = TraceParts(rawValue: 1)
    /// Readings from motion sensors.
    public static let motion = TraceParts(rawValue: 2)
    /// Battery changes.
    public static let battery = TraceParts(rawValue: 4)
    /// The attached accessories, and sessions opened through a device returned by
    /// ``DeviceCore/Device/recordingAccessories()``.
    public static let accessories = TraceParts(rawValue: 8)
    /// All received Bluetooth beacon advertisements.
    public static let beacons = TraceParts(rawValue: 16)
    /// All parts except beacons. Recording beacons requires continuous scanning.
    public static let `default`: TraceParts = [.position, .motion, .battery, .accessories]
    /// All parts.
    public static let all: TraceParts = [.position, .motion, .battery, .accessories, .beacons]
}
