// SPDX-License-Identifier: Apache-2.0

/// What a sensor is known by from one run to the next.
///
/// Its serial number where it has one, else where it is attached, else its names; numbers that are given in the order of
/// discovery, such as that of iio:device0, are no part of it unless there is nothing else.
public struct SensorIdentity: Sendable, Hashable, CustomStringConvertible {
    /// The longest key; longer ones are cut off.
    public static let maximumLength = 512

    /// A text that is the same for the same sensor.
    public let key: String

    /// An identity of that key.
    public init(key: String) {
        var text = ""
        for character in key.unicodeScalars.lazy where character.value >= 32 && text.utf8.count < Self.maximumLength - 4
        {
            text.unicodeScalars.append(character)
        }
        self.key = text
    }

    /// The identity of the sensor.
    public init(_ sensor: SensorDescription) {
        var parts = [sensor.kind.rawValue]
        if !sensor.serial.isEmpty {
            parts += [sensor.name, "serial " + sensor.serial]
        } else {
            if sensor.source != "local:" { parts.append(sensor.source) }
            if sensor.path.isEmpty, sensor.name.isEmpty, sensor.label.isEmpty { parts.append(sensor.id) }
            parts += [sensor.path, sensor.name, sensor.label, sensor.location]
        }
        self.init(key: parts.filter { !$0.isEmpty }.joined(separator: "|"))
    }

    /// What the sensor measures, as the key says; nil when it does not.
    public var kind: SensorKind? { SensorKind(rawValue: String(key.prefix { $0 != "|" })) }

    /// The key.
    public var description: String { key }
}
