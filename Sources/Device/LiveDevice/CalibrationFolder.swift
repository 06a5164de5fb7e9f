// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes
import Synchronization
import SystemCalls

/// Calibrations in a folder, a file of JSON for each sensor.
///
/// A file is whole whenever power fails. What cannot be read, is not a calibration or belongs to another sensor is left
/// alone and reported in ``problems``; it is written over with the next calibration of its sensor.
package final class CalibrationFolder: CalibrationStore {
    /// The largest file that is read, in bytes; one of ours has less than one kilobyte.
    static let maximumSize = 16_384
    private static let format = "device-services-calibration"
    /// More problems than these are not kept.
    private static let maximumProblems = 32

    /// The folder; nil when the environment names no place for one.
    package let path: String?
    private let found = Mutex<[String: DeviceError]>([:])
    /// Held while a file is written.
    private let writing = Mutex(())

    /// The calibrations of that folder, which is made when the first is stored; nil, and a path that is not absolute, for
    /// none.
    package init(path: String?) { self.path = path.flatMap { $0.hasPrefix("/") ? $0 : nil } }

    /// The calibrations of this user on this machine: the folder that `DEVICE_SERVICES_STATE` names, else `device-services`
    /// in `XDG_STATE_HOME`, else in `~/.local/state`; for root without `XDG_STATE_HOME` `/var/lib/device-services`.
    package static func ofUser() -> CalibrationFolder {
        CalibrationFolder(
            path: path(environment: { name in getenv(name).map { String(cString: $0) } }, isRoot: geteuid() == 0))
    }

    /// The folder that an environment means; nil when it means none.
    static func path(environment: (String) -> String?, isRoot: Bool) -> String? {
        if let folder = environment("DEVICE_SERVICES_STATE"), folder.hasPrefix("/") { return folder }
        // Relative paths are to be ignored, says the specification of these variables.
        if let state = environment("XDG_STATE_HOME"), state.hasPrefix("/") { return state + "/device-services" }
        if isRoot { return "/var/lib/device-services" }
        if let home = environment("HOME"), home.hasPrefix("/") { return home + "/.local/state/device-services" }
        return nil
    }

    /// True when there is a place to store in.
    package var isWritable: Bool { path != nil }

    /// Why files could not be read or written, when that was tried last.
    package var problems: [DeviceError] { found.withLock { found in found.sorted { $0.key < $1.key }.map(\.value) } }

    /// The path of a sensor's file; nil without a folder.
    package func file(of sensor: SensorIdentity) -> String? { path.map { "\($0)/\(Self.name(of: sensor))" } }

    /// The kind, for people, and a hash of the key, which may hold anything.
    private static func name(of sensor: SensorIdentity) -> String {
        let kind = sensor.kind?.rawValue ?? "sensor"
        return "\(kind)-\(StableHash.text(sensor.key.utf8)).json"
    }

    // MARK: Reading

    /// What the sensor's file holds; nil when there is none or it cannot be used.
    package func load(_ sensor: SensorIdentity) -> SensorCalibration? {
        guard let file = file(of: sensor) else { return nil }
        do throws(DeviceError) {
            let calibration = try Self.decode(try FileBytes.read(file, limit: Self.maximumSize), sensor, file: file)
            note(nil, file)
            return calibration
        } catch {
            note(error.code == .notFound ? nil : error, file)
            return nil
        }
    }

    private static func decode(
        _ bytes: [UInt8], _ sensor: SensorIdentity, file: String
    ) throws(DeviceError) -> SensorCalibration {
        let (calibration, key, problem) = bytes.withUnsafeBytes { parse($0) }
        if let problem { throw unusable(file, problem) }
        guard key == sensor.key else { throw unusable(file, "it is that of another sensor") }
        guard let calibration else { throw unusable(file, "it has no offset or no matrix") }
        if let problem = calibration.problem(for: sensor.kind ?? .magnetometer) { throw unusable(file, problem) }
        return calibration
    }

    private static func parse(
        _ bytes: UnsafeRawBufferPointer
    ) -> (calibration: SensorCalibration?, key: String, problem: String?) {
        var parts = SensorCalibration.Parts()
        var key = ""
        var format = ""
        var version: Int64 = 0
        var reader = JSONReader(bytes)
        do throws(JSONError) {
            try reader.beginObject()
            while let name = try reader.nextKey() {
                switch name.word {
                case JSONText.word("format"): format = try reader.textIfPresent()?.string() ?? ""
                case JSONText.word("version"): version = try reader.int64IfPresent() ?? 0
                case JSONText.word("sensor"): key = try reader.textIfPresent()?.string() ?? ""
                default: if try !parts.read(name, &reader) { try reader.skipValue() }
                }
            }
            try reader.finish()
        } catch {
            return (nil, key, "it is not JSON: \(error.description)")
        }
        guard format == Self.format else { return (nil, key, "it is not a calibration") }
        guard version == 1 else { return (nil, key, "it is of version \(version), and this program knows version 1") }
        return (parts.calibration, key, nil)
    }

    private static func unusable(_ file: String, _ why: String) -> DeviceError {
        DeviceError(
            .inputOutput, "The stored calibration \(file) is left out, for \(why). Calibrate again, or remove the file."
        )
    }

    private func note(_ error: DeviceError?, _ file: String) {
        found.withLock { found in
            if error == nil || found[file] != nil || found.count < Self.maximumProblems { found[file] = error }
        }
    }

    // MARK: Writing

    /// Writes the sensor's file.
    package func store(_ calibration: SensorCalibration, for sensor: SensorIdentity) throws(DeviceError) {
        guard let file = file(of: sensor) else { throw Self.homeless }
        if let problem = calibration.problem(for: sensor.kind ?? .magnetometer) {
            throw DeviceError(.inputOutput, "The calibration of \(sensor) is not stored, for \(problem).")
        }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("format", Self.format)
            writer.member("version", 1)
            writer.member("sensor", sensor.key)
            calibration.writeMembers(to: &writer)
        }
        writer.newline()
        let bytes = writer.bytes
        let error = writing.withLock { _ -> DeviceError? in
            do throws(DeviceError) {
                try StateFolder.replace(file, with: bytes, mode: 0o644)
                return nil
            } catch {
                return error
            }
        }
        note(error, file)
        if let error { throw error }
    }

    /// Removes the sensor's file.
    package func remove(_ sensor: SensorIdentity) throws(DeviceError) {
        guard let file = file(of: sensor) else { return }
        guard unlink(file) == 0 || errno == ENOENT else {
            throw DeviceError(
                .permissionDenied, "\(file) cannot be removed. Remove it as the user that wrote it.",
                cause: .system(call: "unlink", errno: errno))
        }
        note(nil, file)
    }

    private static var homeless: DeviceError {
        DeviceError(
            .notFound,
            "There is no place for calibrations: neither XDG_STATE_HOME nor HOME is set to a folder. Set one of them.")
    }
}
