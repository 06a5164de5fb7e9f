// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Foundation
import SystemCalls

/// What `doctor` looks at. The rules in ``Diagnosis`` see nothing else, so that they can be tested on any machine.
package struct MachineFacts: Sendable {
    /// What happened to a sensor that was listened to for a moment.
    package struct Trial: Sendable {
        /// The readings a second that are asked for.
        package static let rate = 100.0

        var sensor: SensorDescription
        var readings: Int
        /// How long it was listened to, in seconds.
        var seconds: Double
        /// The rate by the time stamps, in hertz; nil when too few readings came.
        var measuredRate: Double?
        /// Why nothing came, when the source has said so.
        var failure: DeviceError?
        /// The mean of the magnitudes of the readings, in the unit of the sensor's kind; nil without readings.
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
    /// Variables of the environment that look like this package's and are none of them.
    var unknownVariables: [String] = []
    /// The optional libraries that the program was built with.
    var traits: [String]
    package var user: String
    /// True when everything is allowed; the user is then the one who became root, if known.
    var isRoot: Bool
    /// True when the kernel has Industrial I/O.
    var hasKernelBus: Bool
    var kernelSensors: [KernelSensor]
    /// The triggers that there are, by name.
    var triggers: [String]
    /// True when the kernel can make triggers from a timer.
    var canMakeTimerTriggers: Bool
    package var trials: [Trial]
    package var calibrations: [StoredCalibrations.Entry] = []
    /// Why something that is stored cannot be used.
    package var calibrationProblems: [DeviceError] = []
    /// Now, by the machine's clock.
    package var now = WallTime.epoch
    /// Why places where sensors were looked for could not be asked.
    package var motionProblems: [DeviceError] = []
    /// Why gpsd does not answer; nil when it does.
    package var positionFailure: DeviceError?
    /// gpsd's receivers; nil when it did not list them.
    package var receivers: [ReceiverDescription]?
    var battery: BatteryReading?
    package var beacons = BeaconHearing.unknown
    package var accessories = AccessoryFacts()
}

/// Whether beacons can be heard.
package enum BeaconHearing: Sendable {
    /// Nobody has asked.
    case unknown
    case works
    case fails(DeviceError)

    /// What the source says now, which may take two seconds.
    package init(_ source: any BeaconSource) { self = source.problem.map { .fails($0) } ?? .works }
}

/// What the kernel's files say of one Industrial I/O device.
struct KernelSensor: Sendable, Hashable {
    /// "iio:device0"
    var id: String
    /// The driver's name; empty when it says none.
    var name: String
    /// True when there is a folder for captured channels.
    var hasBuffer: Bool
    var hasNode: Bool
    /// True when this user may read and write the node.
    var canOpenNode: Bool
    /// The node's mode and group, such as "0600 root"; empty when there is no node.
    var nodeOwnership: String
    /// True when this user may write the files that set rate and buffer.
    var canWriteSettings: Bool
    /// The trigger that is set; empty for none, nil when the device takes none.
    var trigger: String?
    /// The rate that is set, as the driver writes it; nil when the device as a whole has none.
    var rate: String?
    var buffer = BufferUse.disabled

    /// The driver's name with the id, or the id alone.
    var shownName: String { name.isEmpty ? id : "\(name) (\(id))" }

    /// The use of a device's buffer.
    enum BufferUse: Sendable {
        case disabled
        /// Another program has the device open, or may have.
        case inUse
        /// The buffer is enabled, although no program has the device open.
        case abandoned
    }
}

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

    /// This program captures from sensors itself: the kernel does not say who does.
    package mutating func ignoreCaptures() {
        for index in kernelSensors.indices { kernelSensors[index].buffer = .disabled }
    }

    /// Devices beyond this number are not looked at.
    private static let maximumDevices = 256

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
        if isRoot, let former = getenv("SUDO_USER").map({ String(cString: $0) }), !former.isEmpty { user = former }
    }

    /// Looks for variables that somebody has set and nobody reads.
    mutating func readEnvironment(_ names: some Sequence<String> = ProcessInfo.processInfo.environment.keys) {
        let known = [
            "DEVICE_SERVICES_ACCESSORIES", "DEVICE_SERVICES_CONFIG", "DEVICE_SERVICES_GPSD", "DEVICE_SERVICES_IIO",
            "DEVICE_SERVICES_LOCATION", "DEVICE_SERVICES_MQTT_CA_FILE", "DEVICE_SERVICES_MQTT_CERTIFICATE_FILE",
            "DEVICE_SERVICES_MQTT_KEY_FILE", "DEVICE_SERVICES_MQTT_PASSWORD_FILE", "DEVICE_SERVICES_PROTOCOLS",
            "DEVICE_SERVICES_STATE", "DEVICE_SERVICES_UDEV",
        ]
        unknownVariables = names.filter { $0.uppercased().hasPrefix("DEVICE_SERVICE") && !known.contains($0) }.sorted()
    }

    /// The use of an enabled buffer. The kernel lets one program at a time open the node; to open it changes nothing.
    private static func use(of node: String) -> KernelSensor.BufferUse {
        let descriptor = open(node, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return .inUse }
        close(descriptor)
        return .abandoned
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
