// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Foundation
import SystemCalls

extension MachineFacts {
    /// What there is to know before anything is asked: settings, the kernel's files and the environment.
    package init(of device: Device) {
        self.init(
            configuration: device.configuration, traits: MachineReport.traits, user: "", isRoot: false,
            hasKernelBus: false, kernelSensors: [], triggers: [], canMakeTimerTriggers: false, trials: [],
            battery: device.statusSource.battery)
        readKernel()
        readEnvironment()
    }

    /// Devices beyond this number are not looked at.
    private static let maximumDevices = 256

    /// Looks at the kernel's files.
    mutating func readKernel(sysfs: String = "/sys", nodes: String = "/dev") {
        let bus = sysfs + "/bus/iio/devices"
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: bus))?.sorted()
        hasKernelBus = entries != nil
        kernelSensors = (entries ?? []).filter { $0.hasPrefix("iio:device") }.prefix(Self.maximumDevices).map { id in
            let folder = "\(bus)/\(id)"
            let node = "\(nodes)/\(id)"
            var status = stat()
            let hasNode = stat(node, &status) == 0
            return KernelSensor(
                id: id, name: Self.text("\(folder)/name") ?? "", hasBuffer: Self.exists("\(folder)/scan_elements"),
                hasNode: hasNode, canOpenNode: access(node, R_OK | W_OK) == 0,
                nodeOwnership: hasNode ? Self.ownership(status) : "",
                canWriteSettings: access("\(folder)/buffer/enable", W_OK) == 0,
                trigger: Self.text("\(folder)/trigger/current_trigger"),
                rate: Self.text("\(folder)/sampling_frequency"),
                isCapturing: Self.text("\(folder)/buffer/enable") == "1")
        }
        triggers = (entries ?? []).filter { $0.hasPrefix("trigger") }.prefix(Self.maximumDevices).compactMap { id in
            Self.text("\(bus)/\(id)/name")
        }
        canMakeTimerTriggers = Self.exists(sysfs + "/kernel/config/iio/triggers/hrtimer")
        isRoot = geteuid() == 0
        user = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "\(geteuid())"
        if isRoot, let former = getenv("SUDO_USER").map({ String(cString: $0) }), !former.isEmpty { user = former }
    }

    /// Looks for variables that somebody has set and nobody reads.
    mutating func readEnvironment(_ names: some Sequence<String> = ProcessInfo.processInfo.environment.keys) {
        let known = [
            "DEVICE_SERVICES_ACCESSORIES", "DEVICE_SERVICES_CONFIG", "DEVICE_SERVICES_GPSD", "DEVICE_SERVICES_IIO",
            "DEVICE_SERVICES_LOCATION", "DEVICE_SERVICES_PROTOCOLS", "DEVICE_SERVICES_STATE", "DEVICE_SERVICES_UDEV",
        ]
        unknownVariables = names.filter { $0.uppercased().hasPrefix("DEVICE_SERVICE") && !known.contains($0) }.sorted()
    }

    private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// A file's text without the line end; nil when it cannot be read.
    private static func text(_ path: String) -> String? {
        guard let bytes = try? FileBytes.read(path, limit: 4096) else { return nil }
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func ownership(_ status: stat) -> String {
        let mode = String(status.st_mode & 0o777, radix: 8)
        let group = getgrgid(status.st_gid).map { String(cString: $0.pointee.gr_name) } ?? "\(status.st_gid)"
        return "0\(mode), group \(group)"
    }
}
