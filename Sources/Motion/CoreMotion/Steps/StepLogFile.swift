// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import LiveDevice
import Logging

/// The file that stores the steps and activities of the last seven days, next to the calibrations.
///
/// Only live devices have one. The file is replaced atomically, so that a power failure leaves a complete file, and is
/// readable only by its user. An unusable file is ignored with one warning and overwritten by the next store.
struct StepLogFile: Sendable {
    /// The maximum size of a file that is read, in bytes. The largest file that this type writes has about 1.5 million
    /// bytes.
    static let maximumSize = 4 << 20

    private let path: String

    /// Creates the file of the device; nil if the device does not store steps.
    init?(of device: Device) {
        guard !device.isSimulated, device.calibrations.isWritable,
            let folder = (device.calibrations as? CalibrationDirectory)?.path
        else { return nil }
        self.init(folder: folder)
    }

    init(folder: String) { path = folder + "/steps.json" }

    /// Returns the stored log and step length factor; an empty log and 1 if there is no usable file.
    func load(warn: (String) -> Void = Self.log) -> (log: StepLog, lengthFactor: Double) {
        do throws(DeviceError) {
            let (log, factor, problem) = StepLog.read(try FileIO.read(path, limit: Self.maximumSize))
            if let problem {
                warn("The step log \(path) is ignored, because \(problem). A new log is started.")
            }
            return (log, factor)
        } catch {
            if error.code != .notFound { warn("The step log cannot be read: \(error)") }
            return (StepLog(), 1)
        }
    }

    /// Stores the log, merged with entries that another process has stored in the meantime.
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
