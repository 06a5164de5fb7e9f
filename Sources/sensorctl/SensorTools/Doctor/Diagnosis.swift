// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore

/// A single result of the `doctor` command.
package struct Finding: Sendable, Hashable {
    package enum Level: String, Sendable { case good, remark, problem }

    package let level: Level
    /// One of "positions", "motion", "calibration", "accessories", "configuration", "battery" or "beacons".
    package let topic: String
    /// The message, on one line.
    package let message: String
    /// Shell commands that solve the problem, or an empty array if no action is required.
    package let repair: [String]

    init(_ level: Level, _ topic: String, _ message: String, repair: [String]) {
        (self.level, self.topic, self.message, self.repair) = (level, topic, TerminalText.text(message), repair)
    }

    package init(_ level: Level, _ topic: String, _ message: String, repair: String...) {
        self.init(level, topic, message, repair: repair)
    }
}

extension [Finding] {
    /// Returns an array with one finding, which the caller can return or append with `+=`.
    static func one(_ level: Finding.Level, _ topic: String, _ message: String, repair: [String]) -> Self {
        [Finding(level, topic, message, repair: repair)]
    }

    static func one(_ level: Finding.Level, _ topic: String, _ message: String, repair: String...) -> Self {
        one(level, topic, message, repair: repair)
    }
}

/// The causes of missing data and the commands to remedy them.
struct Diagnosis {
    let findings: [Finding]

    init(_ machine: MachineState) {
        var findings = machine.configuration.allProblems.map { Finding(.problem, "configuration", $0.description) }
        findings += machine.unknownVariables.map { name in
            Finding(
                .problem, "configuration",
                "The environment variable \(name) is unknown and has no effect. Known variables: DEVICE_SERVICES_GPSD, DEVICE_SERVICES_IIO, DEVICE_SERVICES_LOCATION, DEVICE_SERVICES_ACCESSORIES, DEVICE_SERVICES_UDEV, DEVICE_SERVICES_PROTOCOLS, DEVICE_SERVICES_MQTT_PASSWORD_FILE, _CA_FILE, _CERTIFICATE_FILE and _KEY_FILE, DEVICE_SERVICES_STATE and DEVICE_SERVICES_CONFIG.",
                repair: "unset \(Self.word(name))")
        }
        findings += Self.settings(machine) + Self.positions(machine) + Self.motion(machine) + Self.calibrations(machine)
        findings += Self.accessories(machine.accessories, machine) + Self.battery(machine) + Self.beacons(machine)
        self.findings = findings
    }

    var hasProblem: Bool { findings.contains { $0.level == .problem } }

    private static func positions(_ machine: MachineState) -> [Finding] {
        let address = machine.configuration.positionSource.value
        if address.broker != nil { return board(machine, at: address) }
        if let failure = machine.positionFailure {
            let isLocal = ["localhost", "127.0.0.1", "::1"].contains(address.host)
            let repair =
                isLocal
                ? [
                    "sudo apt-get install gpsd gpsd-clients", "sudo systemctl enable --now gpsd.socket",
                    "gpspipe -w -n 5    # shows whether gpsd sends reports",
                ]
                : [
                    "nc -vz \(word(address.host)) \(address.port)    # on this machine: shows whether gpsd accepts connections",
                    "# on the other machine: set GPSD_OPTIONS=\"-G\" in /etc/default/gpsd, and listen on all addresses:",
                    "sudo mkdir -p /etc/systemd/system/gpsd.socket.d",
                    "printf '[Socket]\\nListenStream=\\nListenStream=/run/gpsd.sock\\nListenStream=0.0.0.0:\(address.port)\\nListenStream=[::]:\(address.port)\\n' | sudo tee /etc/systemd/system/gpsd.socket.d/network.conf",
                    "sudo systemctl daemon-reload && sudo systemctl stop gpsd.service && sudo systemctl restart gpsd.socket",
                    "gpsd -G -n /dev/ttyACM0    # if gpsd is started by hand: -G accepts connections from other machines",
                ]
            return .one(.problem, "positions", failure.description, repair: repair)
        }
        guard let receivers = machine.receivers else { return .one(.good, "positions", "gpsd responds at \(address).") }
        if receivers.isEmpty {
            return .one(
                .problem, "positions", "gpsd responds at \(address) but has no receiver.",
                repair:
                    "sudo gpsdctl add /dev/ttyACM0    # the receiver's device; permanently: DEVICES in /etc/default/gpsd",
                "ls /dev/ttyACM* /dev/ttyUSB* /dev/serial*    # possible names of the device")
        }
        let names = receivers.map(\.path).joined(separator: ", ")
        return .one(.good, "positions", "gpsd responds at \(address). Receivers: \(names).")
    }

    private static func board(_ machine: MachineState, at address: PositionSourceAddress) -> [Finding] {
        guard let failure = machine.positionFailure else {
            return .one(.good, "positions", "The broker responds, and the subscription to \(address.topic) is active.")
        }
        let options = "-h \(word(address.host)) -p \(address.port) -t \(word(address.topic))"
        return .one(
            .problem, "positions", failure.description,
            repair: "mosquitto_sub -v \(options)    # prints messages; with a password or TLS, add -u, -P, --cafile")
    }

    private static func settings(_ machine: MachineState) -> [Finding] {
        guard !machine.trials.isEmpty else { return [] }
        let names = Set(machine.trials.map(\.sensor).flatMap { [$0.name, $0.label] }.filter { !$0.isEmpty }).sorted()
        return machine.configuration.sensors.value.filter { setting in
            !machine.trials.contains { setting.applies(to: $0.sensor) }
        }.map { setting in
            Finding(
                .remark, "configuration",
                "The setting for the sensor \"\(setting.sensor)\"\(setting.kind.map { " (\($0.rawValue))" } ?? "") matches no sensor. Available sensors: \(names.joined(separator: ", "))."
            )
        }
    }

    /// Quotes the text for a shell. Names from drivers and other machines are not trusted.
    static func word(_ text: String) -> String {
        let isPlain = TerminalText.hasOnlyLettersDigits(text, and: "_-+.,:/@%=[]")
        if isPlain, !text.isEmpty, !text.hasPrefix("-") { return text }
        return "'\(text.replacing("'", with: "'\\''"))'"
    }

    /// Reports missing Bluetooth as a remark, because most boards do not need it.
    private static func beacons(_ machine: MachineState) -> [Finding] {
        switch machine.beacons {
        case .unknown: []
        case .available: .one(.good, "beacons", "Bluetooth beacons can be received through BlueZ.")
        case .unavailable(let error): .one(.remark, "beacons", error.description)
        }
    }

    private static func battery(_ machine: MachineState) -> [Finding] {
        guard let battery = machine.battery else { return [Finding(.good, "battery", "There is no battery.")] }
        let level = battery.level.map { "\(Int(($0 * 100).rounded())) %" } ?? "an unknown level"
        return .one(.good, "battery", "The battery is at \(level), \(battery.state.rawValue).")
    }
}
