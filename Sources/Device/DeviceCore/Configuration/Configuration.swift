// SPDX-License-Identifier: Apache-2.0

/// What a device is configured to do. Environment first, then a file, then defaults.
///
/// | Setting | Environment | Key in the file |
/// | --- | --- | --- |
/// | `positionSource` | `DEVICE_SERVICES_GPSD` | `position.source` |
/// | `receiver` | | `position.receiver` |
/// | `repairsWeekRollover` | | `position.repairWeekRollover` |
/// | `brokerFiles` | `DEVICE_SERVICES_MQTT_…`, see ``BrokerFiles`` | `mqtt` |
/// | `locationRule` | `DEVICE_SERVICES_LOCATION` | `location.authorization` |
/// | `reducesAccuracy` | | `location.reducedAccuracy` |
/// | `locationPurpose` | | `location.purpose` |
/// | `motionSources` | `DEVICE_SERVICES_IIO` | `motion.sources` |
/// | `sensors` | | `motion.sensors` |
/// | `accessoryFolders` | `DEVICE_SERVICES_ACCESSORIES` | `accessories.folders` |
/// | `watchesUdev` | `DEVICE_SERVICES_UDEV` | `accessories.udev` |
/// | `appProtocols` | `DEVICE_SERVICES_PROTOCOLS` | `accessories.protocols` |
/// | `accessoryRules` | | `accessories.rules` |
/// | `declaredAccessories` | | `accessories.declared` |
/// | `accessorySettleTime` | | `accessories.settle` |
///
/// `accessoryRules` and `declaredAccessories` come with the module AccessoryFinding, which reads them.
public struct Configuration: Sendable {
    /// Where gpsd listens, or which board is followed at which broker.
    public var positionSource = Setting(PositionSourceAddress())
    /// The path of the receiver to use; nil for the best one.
    public var receiver = Setting<String?>(nil)
    /// True to move a receiver's time by whole rollovers of 1024 weeks to where it is nearest to the system clock.
    public var repairsWeekRollover = Setting(false)
    /// What lets this machine into a broker.
    public var brokerFiles = Setting(BrokerFiles())
    /// Whether programs may use the position.
    public var locationRule = Setting(LocationRule.grant)
    /// True to give programs only a coarse position.
    public var reducesAccuracy = Setting(false)
    /// What this program uses the position for, in words for the user; nil when nothing was said.
    public var locationPurpose = Setting<String?>(nil)
    /// Where motion sensors are found.
    public var motionSources = Setting([MotionSourceAddress.local])
    /// What is said of single motion sensors; for each thing the first setting that says something counts.
    public var sensors = Setting<[SensorSetting]>([])
    /// Folders whose files declare accessories, each for as long as the file exists.
    public var accessoryFolders = Setting<[String]>([])
    /// False to leave out the accessories that are attached to this machine, and have none but those that are declared.
    public var watchesUdev = Setting(true)
    /// The protocols of accessories that programs may use; nil for all. On Apple's platforms an app's Info.plist lists them.
    public var appProtocols = Setting<[String]?>(nil)
    /// Seconds without news of an accessory's parts after which it is told of; 0 to 10.
    public var accessorySettleTime = Setting(0.15)
    /// What rooms above read, by its name in the file: `accessories.rules` and `accessories.declared`.
    package var parts: [String: ConfigurationPart] = [:]
    /// What could not be read or used; the defaults stand in for it.
    public var problems: [DeviceError] = []

    /// The defaults.
    public init() {}
}

/// A part of a configuration that a room above understands.
package enum ConfigurationPart: Sendable {
    /// JSON of the file at that path, which nobody has read.
    case unread([UInt8], path: String)
    /// A `Setting` that the program has made.
    case set(any Sendable)
}
