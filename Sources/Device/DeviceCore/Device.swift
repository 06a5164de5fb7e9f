// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A real or simulated machine, with its clock, configuration and sources.
///
/// A manager selects its device when it is created. It uses the first of these that exists: the task's `current`
/// device, the `installed` device, the live device.
public final class Device: Sendable {
    /// The name used in log messages.
    public let name: String
    /// The device's clock.
    public let clock: any DeviceClock
    /// The device's configuration.
    public let configuration: Configuration
    /// The source of positions, velocities and satellites.
    public let positionSource: any PositionSource
    /// The source of motion sensor readings.
    public let motionSource: any MotionSource
    package let beaconSource: any BeaconSource
    package let statusSource: any StatusSource
    package let calibrations: any CalibrationStore
    /// Provides the callback executors during playback. nil unless the device plays a trace.
    package let playback: (any PlaybackExecutorProvider)?

    private let accessories: @Sendable () -> any AccessorySource
    private let components = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])

    /// Creates a device. If `motionSource` is nil, the device has no sensors. If `accessorySource` is nil, it has no
    /// accessories.
    public convenience init(
        name: String, clock: any DeviceClock, configuration: Configuration, positionSource: any PositionSource,
        motionSource: (any MotionSource)? = nil, accessorySource: (any AccessorySource)? = nil
    ) {
        self.init(
            name: name, clock: clock, configuration: configuration, positionSource: positionSource,
            motionSource: motionSource, accessorySource: accessorySource, playback: nil)
    }

    /// If `playback` is not nil, the device plays a trace.
    package convenience init(
        name: String, clock: any DeviceClock, configuration: Configuration, positionSource: any PositionSource,
        motionSource: (any MotionSource)? = nil, accessorySource: (any AccessorySource)? = nil,
        beaconSource: (any BeaconSource)? = nil, statusSource: (any StatusSource)? = nil,
        calibrations: (any CalibrationStore)? = nil, playback: (any PlaybackExecutorProvider)? = nil
    ) {
        let accessorySource = accessorySource ?? NoAccessorySource()
        self.init(
            name: name, clock: clock, configuration: configuration, positionSource: positionSource,
            motionSource: motionSource ?? MotionHub(), accessories: { accessorySource },
            beaconSource: beaconSource ?? NoBeaconSource(), statusSource: statusSource ?? StatusHub(),
            calibrations: calibrations ?? InMemoryCalibrationStore(), playback: playback)
    }

    /// Creates a device. Each access to ``accessorySource`` calls the closure `accessories`, which returns the
    /// accessory source.
    package init(
        name: String, clock: any DeviceClock, configuration: Configuration, positionSource: any PositionSource,
        motionSource: any MotionSource, accessories: @escaping @Sendable () -> any AccessorySource,
        beaconSource: any BeaconSource, statusSource: any StatusSource, calibrations: any CalibrationStore,
        playback: (any PlaybackExecutorProvider)? = nil
    ) {
        (self.name, self.clock, self.configuration, self.positionSource) = (name, clock, configuration, positionSource)
        (self.motionSource, self.accessories, self.beaconSource) = (motionSource, accessories, beaconSource)
        (self.statusSource, self.calibrations, self.playback) = (statusSource, calibrations, playback)
    }

    /// The accessory source. The live device has no accessories until the program uses External Accessory.
    public var accessorySource: any AccessorySource { accessories() }

    package var isSimulated: Bool { playback != nil }

    /// Returns the device's shared instance of a type. If there is none yet, the closure creates it. The closure is
    /// called without a lock held and may request other components. If two threads create an instance at the same time,
    /// one of the instances is released, so the closure must not have side effects.
    package func component<Component: AnyObject & Sendable>(
        _ type: Component.Type, make: (Device) -> Component
    ) -> Component {
        let key = ObjectIdentifier(type)
        if let existing = components.withLock({ $0[key] }) as? Component { return existing }
        let new = make(self)
        return components.withLock { components in
            if let existing = components[key] as? Component { return existing }
            components[key] = new
            return new
        }
    }
}

extension Device {
    /// The current task's device, or nil to use the `installed` device or the live device.
    @TaskLocal public static var current: Device?

    private static let installedDevice = Mutex<Device?>(nil)

    /// The device that replaces the live device throughout the process, or nil if none is installed.
    public static var installed: Device? { installedDevice.withLock { $0 } }

    /// Replaces the live device throughout the process. Passing nil restores the live device.
    public static func install(_ device: Device?) {
        // Releases the previous device outside the lock, because its deinitializer may access the installed device.
        let former = installedDevice.withLock { exchange(&$0, with: device) }
        withExtendedLifetime(former) {}
    }

    package func withCurrent<Result>(_ body: () throws -> Result) rethrows -> Result {
        if Device.current === self { return try body() }
        return try Device.$current.withValue(self, operation: body)
    }
}
