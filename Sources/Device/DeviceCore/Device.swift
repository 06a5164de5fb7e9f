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
    /// The source of positions.
    public let positionSource: any PositionSource
    /// The source of motion readings.
    public let motionSource: any MotionSource
    /// The source of advertisements of Bluetooth beacons.
    public let beaconSource: any BeaconSource
    /// The source of the machine's own status, for example of its battery.
    public let statusSource: any StatusSource
    /// The store for the calibrations of the device's sensors.
    public let calibrations: any CalibrationStore
    /// The delivery of callbacks during the playback of a trace; nil for the live device.
    public let playback: (any PlaybackExecutorProvider)?

    private let accessories: @Sendable () -> any AccessorySource
    private let components = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])

    /// Creates a device.
    public convenience init(
        name: String,
        clock: any DeviceClock,
        configuration: Configuration,
        positionSource: any PositionSource,
        motionSource: any MotionSource = MotionHub(),
        accessorySource: any AccessorySource = NoAccessorySource(),
        beaconSource: any BeaconSource = NoBeaconSource(),
        statusSource: any StatusSource = StatusHub(),
        calibrations: any CalibrationStore = InMemoryCalibrationStore(),
        playback: (any PlaybackExecutorProvider)? = nil
    ) {
        self.init(
            name: name, clock: clock, configuration: configuration, positionSource: positionSource,
            motionSource: motionSource, accessories: { accessorySource }, beaconSource: beaconSource,
            statusSource: statusSource, calibrations: calibrations, playback: playback)
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

    /// True if the readings come from a trace.
    public var isSimulated: Bool { playback != nil }

    /// Returns the device's shared instance of a type, created by the first call.
    ///
    /// The closure runs without a lock and may request other components. If two threads race, one instance is kept and
    /// the other is released, so creating an instance must not have side effects.
    public func component<Component: AnyObject & Sendable>(
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
