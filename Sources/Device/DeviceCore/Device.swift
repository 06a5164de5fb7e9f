// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A machine as its sensors see it: a clock, sources, and one of each thing that managers share.
///
/// There are two kinds: the live device of the process, and simulated ones. A manager takes its device when it is made:
/// the task's `current`, else the one `installed`, else the live one.
public final class Device: Sendable {
    /// A name for logs.
    public let name: String
    /// The time of the device.
    public let clock: any DeviceClock
    /// What is configured for it.
    public let configuration: Configuration
    /// Where positions come from.
    public let positionSource: any PositionSource
    /// Where motion readings come from.
    public let motionSource: any MotionSource
    /// Where the advertisements of Bluetooth beacons come from.
    public let beaconSource: any BeaconSource
    /// Where the state of the machine itself, such as its battery, comes from.
    public let statusSource: any StatusSource
    /// Where the calibrations of its sensors are kept.
    public let calibrations: any CalibrationStore
    /// How callbacks are delivered while a trace is played; nil on live hardware.
    public let playback: (any PlaybackDelivery)?

    private let accessories: @Sendable () -> any AccessorySource
    private let components = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])

    /// A device of those parts.
    public convenience init(
        name: String,
        clock: any DeviceClock,
        configuration: Configuration,
        positionSource: any PositionSource,
        motionSource: any MotionSource = MotionHub(),
        accessorySource: any AccessorySource = NoAccessorySource(),
        beaconSource: any BeaconSource = NoBeaconSource(),
        statusSource: any StatusSource = StatusHub(),
        calibrations: any CalibrationStore = FixedCalibrations(),
        playback: (any PlaybackDelivery)? = nil
    ) {
        self.init(
            name: name, clock: clock, configuration: configuration, positionSource: positionSource,
            motionSource: motionSource, accessories: { accessorySource }, beaconSource: beaconSource,
            statusSource: statusSource, calibrations: calibrations, playback: playback)
    }

    /// A device that asks where accessories come from whenever somebody wants them.
    package init(
        name: String, clock: any DeviceClock, configuration: Configuration, positionSource: any PositionSource,
        motionSource: any MotionSource, accessories: @escaping @Sendable () -> any AccessorySource,
        beaconSource: any BeaconSource, statusSource: any StatusSource, calibrations: any CalibrationStore,
        playback: (any PlaybackDelivery)? = nil
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

    /// Where accessories come from. Those of the live device come from nowhere until the program has used External
    /// Accessory, which links udev's source.
    public var accessorySource: any AccessorySource { accessories() }

    /// True when its readings come from a trace.
    public var isSimulated: Bool { playback != nil }

    /// The device's one object of a type, made at the first call.
    ///
    /// The closure runs without a lock and so may ask for other components; when two threads race, one object wins and
    /// the other is dropped, so making one must have no effect of its own.
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
