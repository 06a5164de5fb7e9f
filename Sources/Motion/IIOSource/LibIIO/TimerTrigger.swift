// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemCalls

/// A trigger driven by a kernel timer. Requires root and the kernel module iio-trig-hrtimer.
final class TimerTrigger: IIOLease {
    private static let directory = "/sys/kernel/config/iio/triggers/hrtimer"

    private let device: String
    private let path: String
    private let isAssigned = Mutex(true)
    private let exitAction: Int

    /// Creates a trigger for a device such as "iio:device0". `rate` is in hertz.
    init(device id: String, rate: Double) throws(IIOFailure) {
        let name = "device-services-\(id.split(separator: ":").last ?? "device")"
        let device = SysfsDirectory.device(id)
        let path = "\(Self.directory)/\(name)"
        (exitAction, _) = try ExitActions.shared.add {
            Self.remove(path, from: device)
        } change: { () throws(IIOFailure) in
            // A killed process leaves its trigger behind.
            guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw IIOFailure("mkdir \(path)", errno) }
            do throws(IIOFailure) {
                try Self.assign(name, to: device, rate: rate)
            } catch {
                rmdir(path)
                throw error
            }
        }
        self.device = device
        self.path = path
    }

    deinit { release() }

    private static func assign(_ name: String, to device: String, rate: Double) throws(IIOFailure) {
        let trigger = (SysfsDirectory.names(SysfsDirectory.devices) ?? []).first { entry in
            entry.hasPrefix("trigger") && SysfsDirectory.read("\(SysfsDirectory.devices)/\(entry)/name") == name
        }
        guard let trigger else { throw IIOFailure("find trigger \(name)", ENOENT) }
        let rateFile = "\(SysfsDirectory.device(trigger))/sampling_frequency"
        // Older kernels accept only integers.
        if SysfsDirectory.write(AttributeNumber.text(rate), to: rateFile) != 0 {
            let number = SysfsDirectory.write(AttributeNumber.text(rate.rounded(.up)), to: rateFile)
            guard number == 0 else { throw IIOFailure("write \(rateFile)", number) }
        }
        let number = SysfsDirectory.write(name, to: "\(device)/trigger/current_trigger")
        guard number == 0 else { throw IIOFailure("write \(device)/trigger/current_trigger", number) }
    }

    func release() {
        guard isAssigned.withLock({ exchange(&$0, with: false) }) else { return }
        Self.remove(path, from: device)
        ExitActions.shared.remove(exitAction)
    }

    private static func remove(_ path: String, from device: String) {
        _ = SysfsDirectory.write("\n", to: "\(device)/trigger/current_trigger")
        rmdir(path)
    }
}
