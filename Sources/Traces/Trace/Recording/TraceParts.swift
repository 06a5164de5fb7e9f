// SPDX-License-Identifier: Apache-2.0

/// What a recorder records of a device.
public struct TraceParts: OptionSet, Sendable, Hashable {
    /// The parts as bits.
    public let rawValue: UInt32

    /// Parts given as bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Every line of gpsd.
    public static let position = TraceParts(rawValue: 1)
    /// The readings of the motion sensors.
    public static let motion = TraceParts(rawValue: 2)
    /// The battery.
    public static let battery = TraceParts(rawValue: 4)
    /// The accessories that come and go, and the bytes of those sessions that can be listened to: see
    /// ``DeviceCore/Device/recordingAccessories()``.
    public static let accessories = TraceParts(rawValue: 8)
    /// Every advertisement of a Bluetooth beacon that is heard.
    public static let beacons = TraceParts(rawValue: 16)
    /// All but beacons, whose radio is kept busy while they are recorded.
    public static let usual: TraceParts = [.position, .motion, .battery, .accessories]
    /// Everything that can be recorded.
    public static let all: TraceParts = [.position, .motion, .battery, .accessories, .beacons]
}
