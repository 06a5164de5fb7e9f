// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import LiveDevice
import Logging

/// The file that stores the steps and activities of a live device. It is located next to the calibrations.
///
/// Only the owner can read the file. It is always replaced atomically, so it is complete even after a power failure. If
/// the file is unusable, a warning is logged, and the file is replaced when the counts are next stored.
struct StepLogFile: Sendable {
    /// The maximum size of the file in bytes. This type never writes more than 1.5 MB.
    static let maximumSize = 4 << 20

    private let path: String

    /// Returns nil if the device does not store steps.
    init?(of device: Device) {
        guard !device.isSimulated, device.calibrations.isWritable,
            let folder = (device.calibrations as? CalibrationDirectory)?.path
        else { return nil }
        self.init(folder: folder)
    }

    init(folder: String) { path = folder + "/steps.json" }

    /// Returns the stored log and step length factor. If there is no usable file, the log is empty and the factor is 1.
    func load(warn: (String) -> Void = Self.log) -> (log: StepLog, lengthFactor: Double) {
        do throws(DeviceError) {
            let (log, factor, problem) = StepLog.read(try FileIO.read(path, limit: Self.maximumSize))
            if let problem { warn("The step log \(path) is ignored, because \(problem). A new log is started.") }
            return (log, factor)
        } catch {
            if error.code != .notFound { warn("The step log cannot be read: \(error)") }
            return (StepLog(), 1)
        }
    }

    /// Merges the log with entries that other processes have stored in the meantime, and stores the result.
    func store(_ log: StepLog, lengthFactor: Double, now: WallTime, warn: (String) -> Void = Self.log) {
        var log = log
        log.merge(load(warn: { _ in }).log, now: now.seconds)
        do throws(DeviceError) {
            try StateDirectory.replace(path, with: log.json(lengthFactor: lengthFactor))
        } catch {
            warn("The step log cannot be stored: \(error)")
        }
    }

    static func log(_ problem: String) { Logger(label: "device-services.steps").warning("\(problem)") }
}
