// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A machine with its clock, its sources, and the components that managers share.
///
/// A device is either the live device of the process or a simulated one. A manager selects its device when it is
/// created: the task's `current` device, else the `installed` one, else the live one.
public final class Device: Sendable {
    /// The name for log messages.
    public let name: String
    /// The clock of the device.
    public let clock: any DeviceClock
    /// The configuration of the device.
    public let configuration: Configuration
    /// The source of positions, velocities and satellites.
    public let positionSource: any PositionSource
    /// The source of motion sensor readings.
    public let motionSource: any MotionSource
    package let beaconSource: any BeaconSource
    /// The source of the machine's own status, for example of its battery.
    package let statusSource: any StatusSource
    package let calibrations: any CalibrationStore
    /// The delivery of callbacks during the playback of a trace; nil for the live device.
    package let playback: (any PlaybackExecutorProvider)?

    private let accessories: @Sendable () -> any AccessorySource
    private let components = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])

    /// Creates a device. A source that is nil has no readings or accessories.
    public convenience init(
        name: String, clock: any DeviceClock, configuration: Configuration, positionSource: any PositionSource,
        motionSource: (any MotionSource)? = nil, accessorySource: (any AccessorySource)? = nil
    ) {
        self.init(
            name: name, clock: clock, configuration: configuration, positionSource: positionSource,
            motionSource: motionSource, accessorySource: accessorySource, playback: nil)
    }

    /// Creates a device with all sources. If `playback` is not nil, it plays a trace.
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

    /// Creates a device that requests its accessory source at each access.
    package init(
        name: String, clock: any DeviceClock, configuration: Configuration, positionSource: any PositionSource,
        motionSource: any MotionSource, accessories: @escaping @Sendable () -> any AccessorySource,
        beaconSource: any BeaconSource, statusSource: any StatusSource, calibrations: any CalibrationStore,
        playback: (any PlaybackExecutorProvider)? = nil
    ) {
        self.name = name
        self.clock = clock
        self.configuration = configuration
        self.positionSource = positionSource
        self.motionSource = motionSource
        self.accessories = accessories
        self.beaconSource = beaconSource
        self.statusSource = statusSource
        self.calibrations = calibrations
        self.playback = playback
    }

    /// The source of accessories. For the live device it is empty until the program uses External Accessory, which
    /// links the udev source.
    public var accessorySource: any AccessorySource { accessories() }

    package var isSimulated: Bool { playback != nil }

    /// Returns the device's shared instance of a type, created by the first call.
    ///
    /// The closure runs without a lock and may request other components. If two threads race, one instance is kept and
    /// the other is released, so creating an instance must not have side effects.
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
    /// The device of the current task; nil outside of `withValue`, where `installed` or the live device applies.
    @TaskLocal public static var current: Device?

    private static let installedDevice = Mutex<Device?>(nil)

    /// The device that replaces the live device in the whole process; usually nil.
    public static var installed: Device? { installedDevice.withLock { $0 } }

    /// Replaces the live device in the whole process; nil restores it.
    public static func install(_ device: Device?) {
        // The previous device is released outside of the lock because its deinitialization may access this property.
        let former = installedDevice.withLock { exchange(&$0, with: device) }
        withExtendedLifetime(former) {}
    }

    package func withCurrent<Result>(_ body: () throws -> Result) rethrows -> Result {
        if Device.current === self { return try body() }
        return try Device.$current.withValue(self, operation: body)
    }
}
