// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import LiveDevice
import Logging

/// The file in which the steps and activities of the last seven days are kept, beside the calibrations.
///
/// Live devices only. It is whole whenever power fails, and only its user reads it. One that cannot be used is left out
/// with one warning, and written over with what comes next.
struct StepLogFile: Sendable {
    /// The largest that is read, in bytes; the longest of ours has about one and a half million.
    static let maximumSize = 4 << 20

    private let path: String

    /// The file of that device; nil where nothing is kept.
    init?(of device: Device) {
        guard !device.isSimulated, device.calibrations.isWritable,
            let folder = (device.calibrations as? CalibrationFolder)?.path
        else { return nil }
        self.init(folder: folder)
    }

    init(folder: String) { path = folder + "/steps.json" }

    /// What is kept, and the factor of the length of steps.
    func load(warn: (String) -> Void = Self.log) -> (log: StepLog, lengthFactor: Double) {
        do throws(DeviceError) {
            let (log, factor, problem) = StepLog.read(try FileBytes.read(path, limit: Self.maximumSize))
            if let problem {
                warn("\(path), the steps of the last days, is left out, for \(problem). It is begun anew.")
            }
            return (log, factor)
        } catch {
            if error.code != .notFound { warn("The steps of the last days cannot be read: \(error)") }
            return (StepLog(), 1)
        }
    }

    /// Writes the log, and with it what another program has written meanwhile.
    func store(_ log: StepLog, lengthFactor: Double, now: WallTime, warn: (String) -> Void = Self.log) {
        var log = log
        log.merge(load(warn: { _ in }).log, now: now.seconds)
        do throws(DeviceError) {
            try StateFolder.replace(path, with: log.json(lengthFactor: lengthFactor))
        } catch {
            warn("The steps are not kept: \(error)")
        }
    }

    static func log(_ problem: String) { Logger(label: "device-services.steps").warning("\(problem)") }
}
