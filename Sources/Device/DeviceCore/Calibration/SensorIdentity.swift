// SPDX-License-Identifier: Apache-2.0

/// Identifies a sensor across runs of a program.
///
/// Consists of the serial number if the sensor has one, otherwise of its location and names. Numbers that depend on the
/// order of discovery, for example that of iio:device0, are only included if nothing else is known.
public struct SensorIdentity: Sendable, Hashable, CustomStringConvertible {
    /// The maximum length of a key, in UTF-8 bytes. Longer keys are truncated.
    public static let maximumLength = 512

    /// A text that is always the same for the same sensor.
    public let key: String

    /// Creates an identity from a key. Control characters are removed.
    public init(key: String) {
        var text = ""
        for character in key.unicodeScalars.lazy where character.value >= 32 && text.utf8.count < Self.maximumLength - 4
        {
            text.unicodeScalars.append(character)
        }
        self.key = text
    }

    /// Creates the identity of a sensor.
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

    /// The kind of the sensor according to the key; nil if the key contains none.
    public var kind: SensorKind? { SensorKind(rawValue: String(key.prefix { $0 != "|" })) }

    /// The key.
    public var description: String { key }
}
