// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Foundation
import SystemCalls

/// The machine state that the `doctor` command examines. ``Diagnosis`` has no other input, so tests can run on any
/// machine.
package struct MachineState: Sendable {
    /// The result of a short subscription to a sensor.
    package struct Trial: Sendable {
        /// The requested rate, in hertz.
        package static let rate = 100.0

        var sensor: SensorDescription
        var readings: Int
        /// The duration of the subscription, in seconds.
        var seconds: Double
        /// The rate in hertz, computed from the timestamps, or nil if there were too few readings.
        var measuredRate: Double?
        var failure: DeviceError?
        /// The mean magnitude of the readings in the unit of the sensor's kind, or nil if there were no readings.
        var meanMagnitude: Double?

        package init(
            sensor: SensorDescription, readings: Int, seconds: Double, measuredRate: Double?, failure: DeviceError?,
            meanMagnitude: Double? = nil
        ) {
            (self.sensor, self.readings, self.seconds) = (sensor, readings, seconds)
            (self.measuredRate, self.failure) = (measuredRate, failure)
            self.meanMagnitude = meanMagnitude
        }
    }

    var configuration: Configuration
    /// The unknown environment variables with names that resemble those of this package's variables.
    var unknownVariables: [String] = []
    var traits: [String]
    package var user: String
    /// True if the program is running as root. In this case, `user` is the user who invoked sudo, if known.
    var isRoot: Bool
    /// True if the kernel supports Industrial I/O.
    var hasKernelBus: Bool
    var kernelSensors: [KernelSensor]
    var triggers: [String]
    var canMakeTimerTriggers: Bool
    package var trials: [Trial]
    package var calibrations: [StoredCalibrations.Entry] = []
    package var calibrationProblems: [DeviceError] = []
    package var now = WallTime.epoch
    package var motionProblems: [DeviceError] = []
    package var positionFailure: DeviceError?
    /// The receivers that gpsd reports, or nil if gpsd did not report them in time.
    package var receivers: [ReceiverDescription]?
    var battery: BatteryReading?
    package var beacons = BeaconAvailability.unknown
    package var accessories = AccessoryState()
}

package enum BeaconAvailability: Sendable {
    case unknown
    case available
    case unavailable(DeviceError)

    /// Queries the source. The query may take 2 s.
    package init(_ source: any BeaconSource) { self = source.problem.map { .unavailable($0) } ?? .available }
}

/// The state of an Industrial I/O device, read from sysfs.
struct KernelSensor: Sendable, Hashable {
    /// The device's ID, such as "iio:device0".
    var id: String
    /// The name reported by the driver, or an empty string.
    var name: String
    var hasBuffer: Bool
    var hasNode: Bool
    var canOpenNode: Bool
    /// The node's mode and group, such as "0600, group root", or an empty string if the device has no node.
    var nodeOwnership: String
    /// True if the current user can enable the buffer. The udev rule that permits this also permits setting the rate.
    var canWriteSettings: Bool
    /// The name of the current trigger, an empty string if no trigger is set, or nil if the device does not support
    /// triggers.
    var trigger: String?
    /// The sampling rate reported by the driver, or nil if the device has no rate of its own.
    var rate: String?
    var buffer = BufferUse.disabled

    var displayName: String { name.isEmpty ? id : "\(name) (\(id))" }

    enum BufferUse: Sendable {
        case disabled
        /// The node cannot be opened, for example because another program has it open.
        case inUse
        /// The buffer is enabled even though no program has the device open.
        case abandoned
    }
}

extension MachineState {
    /// Reads the settings, the kernel's files and the environment. Does not read the sensors.
    package init(of device: Device) {
        self.init(
            configuration: device.configuration, traits: MachineReport.traits, user: "", isRoot: false,
            hasKernelBus: false, kernelSensors: [], triggers: [], canMakeTimerTriggers: false, trials: [],
            battery: device.statusSource.battery)
        readKernel()
        readEnvironment()
    }

    /// Treats all buffers as disabled. Call this if this program itself has buffers open, because the kernel does not
    /// report which program uses a buffer.
    package mutating func ignoreBufferUse() {
        for index in kernelSensors.indices { kernelSensors[index].buffer = .disabled }
    }

    /// The maximum number of devices to read. The same limit applies to triggers.
    private static let maximumDevices = 256

    /// Reads the kernel's files and determines the user.
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
                buffer: Self.text("\(folder)/buffer/enable") == "1" ? Self.use(of: node) : .disabled)
        }
        triggers = (entries ?? []).filter { $0.hasPrefix("trigger") }.prefix(Self.maximumDevices).compactMap { id in
            Self.text("\(bus)/\(id)/name")
        }
        canMakeTimerTriggers = Self.exists(sysfs + "/kernel/config/iio/triggers/hrtimer")
        isRoot = geteuid() == 0
        user = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "\(geteuid())"
        if isRoot, let originalUser = getenv("SUDO_USER").map({ String(cString: $0) }), !originalUser.isEmpty {
            user = originalUser
        }
    }

    /// Finds unknown variables that resemble this package's variables, for example because they are misspelt.
    mutating func readEnvironment(_ names: some Sequence<String> = ProcessInfo.processInfo.environment.keys) {
        let knownNames = [
            "DEVICE_SERVICES_ACCESSORIES", "DEVICE_SERVICES_CONFIG", "DEVICE_SERVICES_GPSD", "DEVICE_SERVICES_IIO",
            "DEVICE_SERVICES_LOCATION", "DEVICE_SERVICES_MQTT_CA_FILE", "DEVICE_SERVICES_MQTT_CERTIFICATE_FILE",
            "DEVICE_SERVICES_MQTT_KEY_FILE", "DEVICE_SERVICES_MQTT_PASSWORD_FILE", "DEVICE_SERVICES_PROTOCOLS",
            "DEVICE_SERVICES_STATE", "DEVICE_SERVICES_UDEV",
        ]
        unknownVariables = names.filter { $0.uppercased().hasPrefix("DEVICE_SERVICE") && !knownNames.contains($0) }
            .sorted()
    }

    /// Opens the node to find out whether another program is using it. Only one program at a time can have the node
    /// open, so other programs cannot open it until this function closes it. The device is not changed.
    private static func use(of node: String) -> KernelSensor.BufferUse {
        let descriptor = open(node, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return .inUse }
        close(descriptor)
        return .abandoned
    }

    private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    private static func text(_ path: String) -> String? {
        guard let bytes = try? FileIO.read(path, limit: 4096) else { return nil }
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func ownership(_ status: stat) -> String {
        let mode = String(status.st_mode & 0o777, radix: 8)
        let group = getgrgid(status.st_gid).map { String(cString: $0.pointee.gr_name) } ?? "\(status.st_gid)"
        return "0\(mode), group \(group)"
    }
}
