// SPDX-License-Identifier: Apache-2.0

/// A device's configuration. The environment takes precedence over the file, and the file over the defaults.
///
/// | Setting | Environment variable | Key in the file |
/// | --- | --- | --- |
/// | `positionSource` | `DEVICE_SERVICES_GPSD` | `position.source` |
/// | `receiver` | | `position.receiver` |
/// | `repairsWeekRollover` | | `position.repairWeekRollover` |
/// | `brokerFiles` | `DEVICE_SERVICES_MQTT_…`, see ``BrokerCredentialFiles`` | `mqtt` |
/// | `locationRule` | `DEVICE_SERVICES_LOCATION` | `location.authorization` |
/// | `reducesAccuracy` | | `location.reducedAccuracy` |
/// | `locationPurpose` | | `location.purpose` |
/// | `motionSources` | `DEVICE_SERVICES_IIO` | `motion.sources` |
/// | `sensors` | | `motion.sensors` |
/// | `accessoryDirectories` | `DEVICE_SERVICES_ACCESSORIES` | `accessories.folders` |
/// | `watchesUdev` | `DEVICE_SERVICES_UDEV` | `accessories.udev` |
/// | `appProtocols` | `DEVICE_SERVICES_PROTOCOLS` | `accessories.protocols` |
/// | `accessoryRules` | | `accessories.rules` |
/// | `declaredAccessories` | | `accessories.declared` |
/// | `accessorySettleTime` | | `accessories.settle` |
///
/// `accessoryRules` and `declaredAccessories` are declared in the AccessoryFinding module, which parses them.
public struct Configuration: Sendable {
    /// The address of gpsd, or of an MQTT topic on which another board publishes.
    public var positionSource = Setting(PositionSourceAddress())
    /// The device path of the receiver to use, as reported by gpsd, or nil for the best receiver.
    public var receiver = Setting<String?>(nil)
    /// True to correct GPS week rollovers by shifting the receiver's time by the multiple of 1024 weeks that brings it
    /// closest to the system clock.
    public var repairsWeekRollover = Setting(false)
    /// The files with the credentials for an MQTT broker.
    public var brokerFiles = Setting(BrokerCredentialFiles())
    /// The rule that determines whether programs may use the location.
    public var locationRule = Setting(LocationRule.grant)
    /// True to provide programs with only an approximate location.
    public var reducesAccuracy = Setting(false)
    /// Text that explains to the user why this program uses the location, or nil if unspecified.
    public var locationPurpose = Setting<String?>(nil)
    /// The libiio contexts of the motion sensors.
    public var motionSources = Setting([MotionSourceAddress.local])
    /// Settings for individual motion sensors. If several settings match a sensor, each property is taken from the
    /// first one that specifies it.
    public var sensors = Setting<[SensorSetting]>([])
    /// The directories of accessory declaration files. A declared accessory exists as long as its file exists.
    public var accessoryDirectories = Setting<[String]>([])
    /// True to detect accessories attached to this machine. If false, only declared accessories are available.
    public var watchesUdev = Setting(true)
    /// The accessory protocols that programs may use, or nil for all. On Apple platforms, Info.plist lists them.
    public var appProtocols = Setting<[String]?>(nil)
    /// The time for which an accessory's devices must stay unchanged before the accessory is reported, 0 to 10 s.
    public var accessorySettleTime = Setting(Duration.milliseconds(150))
    /// The parts of the configuration that higher-level modules parse. The keys are `accessories.rules` and
    /// `accessories.declared`.
    package var deferredSections: [String: DeferredSection] = [:]
    /// The errors for values that could not be read or used. Defaults replace these values.
    public var problems: [DeviceError] = []

    /// Creates a configuration with the default values.
    public init() {}
}

/// A part of the configuration parsed by a higher-level module.
package enum DeferredSection: Sendable {
    /// Unparsed JSON, and the path of the file it was read from.
    case json([UInt8], path: String)
    /// The `Setting` assigned by the program.
    case set(any Sendable)
}
