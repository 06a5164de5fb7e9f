// SPDX-License-Identifier: Apache-2.0

/// Persistent storage for sensor calibrations. All methods are thread-safe, and may access files.
package protocol CalibrationStore: Sendable {
    /// False if calibrations cannot be stored, in which case `store` does nothing and need not throw. True does not
    /// guarantee that `store` succeeds.
    var isWritable: Bool { get }

    /// Returns nil if no usable calibration is stored.
    func load(_ sensor: SensorIdentity) -> SensorCalibration?

    func store(_ calibration: SensorCalibration, for sensor: SensorIdentity) throws(DeviceError)
    func remove(_ sensor: SensorIdentity) throws(DeviceError)

    /// The errors that occurred while reading or storing calibrations.
    var problems: [DeviceError] { get }

    /// Returns the path of the sensor's calibration file, or nil if the calibration is not stored in a file.
    func file(of sensor: SensorIdentity) -> String?
}

extension CalibrationStore {
    package func file(of sensor: SensorIdentity) -> String? { nil }
}

/// An immutable set of calibrations, for example from a trace.
package struct InMemoryCalibrationStore: CalibrationStore {
    private let calibrations: [SensorIdentity: SensorCalibration]

    package init(_ calibrations: [SensorIdentity: SensorCalibration] = [:]) { self.calibrations = calibrations }

    package func load(_ sensor: SensorIdentity) -> SensorCalibration? { calibrations[sensor] }
    package var isWritable: Bool { false }
    package func store(_ calibration: SensorCalibration, for sensor: SensorIdentity) throws(DeviceError) {}
    package func remove(_ sensor: SensorIdentity) throws(DeviceError) {}
    package var problems: [DeviceError] { [] }
}

/// Identifies a sensor across runs of a program. The identity contains the serial number or, if there is none, the
/// sensor's location and names. A number such as the 0 in `iio:device0` depends on the order of discovery, so it is
/// only a last resort.
package struct SensorIdentity: Sendable, Hashable, CustomStringConvertible {
    /// The maximum length of a key, in UTF-8 bytes. Longer keys are truncated.
    package static let maximumLength = 512

    /// The calibration file contains the key, and its name contains the key's hash. If the key's format changed, stored
    /// calibrations would be lost.
    package let key: String

    /// Removes control characters and truncates long keys. A Unicode scalar, which takes up to 4 bytes in UTF-8, is
    /// appended only if it is certain to fit.
    package init(key: String) {
        var text = ""
        for character in key.unicodeScalars.lazy where character.value >= 32 && text.utf8.count < Self.maximumLength - 4
        { text.unicodeScalars.append(character) }
        self.key = text
    }

    package init(_ sensor: SensorDescription) {
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

    package var kind: SensorKind? { SensorKind(rawValue: String(key.prefix { $0 != "|" })) }
    package var description: String { key }
}
