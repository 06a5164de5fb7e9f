// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes
import Synchronization
import SystemCalls

/// Stores calibrations in a directory, one JSON file per sensor. Files are replaced atomically. A file that cannot be
/// read, is invalid or belongs to a different sensor is ignored and reported in ``problems``. The sensor's next
/// calibration overwrites the file.
package final class CalibrationDirectory: CalibrationStore {
    /// The maximum size of a file, in bytes. Files written by this class are smaller than one kilobyte.
    static let maximumSize = 16_384
    private static let format = "device-services-calibration"
    private static let maximumProblems = 32

    package let path: String?
    private let problemsByPath = Mutex<[String: DeviceError]>([:])

    /// Creates a store. The directory is created when the first calibration is stored. If the path is nil or not
    /// absolute, `load(_:)` returns nil and `store(_:for:)` throws.
    package init(path: String?) { self.path = path.flatMap { $0.hasPrefix("/") ? $0 : nil } }

    /// Returns the current user's store. Its directory is the first of these that applies:
    /// - the value of `DEVICE_SERVICES_STATE`
    /// - `device-services` in `XDG_STATE_HOME`
    /// - `/var/lib/device-services` for root
    /// - `~/.local/state/device-services`
    package static func forCurrentUser() -> CalibrationDirectory {
        CalibrationDirectory(
            path: path(environment: { name in getenv(name).map { String(cString: $0) } }, isRoot: geteuid() == 0))
    }

    /// Returns nil if the environment specifies no directory.
    static func path(environment: (String) -> String?, isRoot: Bool) -> String? {
        if let folder = environment("DEVICE_SERVICES_STATE"), folder.hasPrefix("/") { return folder }
        // The XDG Base Directory Specification requires that relative paths be ignored.
        if let state = environment("XDG_STATE_HOME"), state.hasPrefix("/") { return state + "/device-services" }
        if isRoot { return "/var/lib/device-services" }
        if let home = environment("HOME"), home.hasPrefix("/") { return home + "/.local/state/device-services" }
        return nil
    }

    /// True if the directory is known. `store(_:for:)` may still throw, because write permission is not checked here.
    package var isWritable: Bool { path != nil }

    /// The errors from the last attempt to read or write each file, sorted by path.
    package var problems: [DeviceError] {
        problemsByPath.withLock { problems in problems.sorted { $0.key < $1.key }.map(\.value) }
    }

    package func file(of sensor: SensorIdentity) -> String? { path.map { "\($0)/\(Self.name(of: sensor))" } }

    /// The name consists of the sensor kind, for readability, and a hash, because the key may contain any character.
    /// The name must not change, or stored calibrations would no longer be found.
    private static func name(of sensor: SensorIdentity) -> String {
        let kind = sensor.kind?.rawValue ?? "sensor"
        return "\(kind)-\(StableHash.text(sensor.key.utf8)).json"
    }

    // MARK: Reading

    package func load(_ sensor: SensorIdentity) -> SensorCalibration? {
        guard let file = file(of: sensor) else { return nil }
        do throws(DeviceError) {
            let calibration = try Self.decode(try FileIO.read(file, limit: Self.maximumSize), sensor, file: file)
            record(nil, for: file)
            return calibration
        } catch {
            record(error.code == .notFound ? nil : error, for: file)
            return nil
        }
    }

    private static func decode(
        _ bytes: [UInt8], _ sensor: SensorIdentity, file: String
    ) throws(DeviceError) -> SensorCalibration {
        let (calibration, key, problem) = bytes.withUnsafeBytes { parse($0) }
        if let problem { throw unusable(file, problem) }
        guard key == sensor.key else { throw unusable(file, "it belongs to another sensor") }
        guard let calibration else { throw unusable(file, "it has no offset or no matrix") }
        // A sensor's key always begins with the sensor kind, so the default is never used for a real sensor.
        if let problem = calibration.problem(for: sensor.kind ?? .magnetometer) { throw unusable(file, problem) }
        return calibration
    }

    private static func parse(
        _ bytes: UnsafeRawBufferPointer
    ) -> (calibration: SensorCalibration?, key: String, problem: String?) {
        var builder = SensorCalibration.Builder()
        var key = ""
        var format = ""
        var version: Int64 = 0
        var reader = JSONReader(bytes)
        do throws(JSONError) {
            try reader.beginObject()
            while let name = try reader.nextKey() {
                // A `word` holds up to 8 bytes. Longer keys must be compared with `equals`.
                switch name.word {
                case JSONText.word("format"): format = try reader.textIfPresent()?.string() ?? ""
                case JSONText.word("version"): version = try reader.int64IfPresent() ?? 0
                case JSONText.word("sensor"): key = try reader.textIfPresent()?.string() ?? ""
                default: if try !builder.read(name, &reader) { try reader.skipValue() }
                }
            }
            try reader.finish()
        } catch { return (nil, key, "it is not valid JSON (\(error.description))") }
        guard format == Self.format else { return (nil, key, "it is not a calibration") }
        guard version == 1 else {
            return (nil, key, "it has version \(version), but this program supports only version 1")
        }
        return (builder.calibration, key, nil)
    }

    private static func unusable(_ file: String, _ reason: String) -> DeviceError {
        DeviceError(
            .inputOutput,
            "The stored calibration \(file) is ignored because \(reason). Calibrate again, or remove the file.")
    }

    private func record(_ error: DeviceError?, for file: String) {
        problemsByPath.withLock { problems in
            if error == nil || problems[file] != nil || problems.count < Self.maximumProblems { problems[file] = error }
        }
    }

    // MARK: Writing

    package func store(_ calibration: SensorCalibration, for sensor: SensorIdentity) throws(DeviceError) {
        guard let file = file(of: sensor) else {
            throw DeviceError(
                .notFound,
                "No directory is available for calibrations: neither XDG_STATE_HOME nor HOME is an absolute path. Set one of them."
            )
        }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("format", Self.format)
            writer.member("version", 1)
            writer.member("sensor", sensor.key)
            calibration.writeMembers(to: &writer)
        }
        writer.newline()
        do throws(DeviceError) {
            if let problem = calibration.problem(for: sensor.kind ?? .magnetometer) {
                throw DeviceError(.inputOutput, "The calibration of \(sensor) is not stored because \(problem).")
            }
            try StateDirectory.replace(file, with: writer.bytes, mode: 0o644)
        } catch {
            record(error, for: file)
            throw error
        }
        record(nil, for: file)
    }

    /// Does not throw if the file does not exist.
    package func remove(_ sensor: SensorIdentity) throws(DeviceError) {
        guard let file = file(of: sensor) else { return }
        guard unlink(file) == 0 || errno == ENOENT else {
            throw DeviceError(
                .permissionDenied, "\(file) cannot be removed. Remove it as the user that wrote it.",
                cause: .system(call: "unlink", errno: errno))
        }
        record(nil, for: file)
    }
}
