// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Says why nothing arrives, and what mends it.
struct Diagnosis {
    let findings: [Finding]

    init(_ facts: MachineFacts) {
        var findings = facts.configuration.problems.map { Finding(.problem, "configuration", $0.description) }
        findings += Self.positions(facts)
        findings += Self.motion(facts)
        findings += Self.battery(facts)
        self.findings = findings
    }

    /// True when something keeps readings from arriving.
    var hasProblem: Bool { findings.contains { $0.level == .problem } }

    private static func positions(_ facts: MachineFacts) -> [Finding] {
        let address = facts.configuration.positionSource.value
        if let failure = facts.positionFailure {
            let isHere = ["localhost", "127.0.0.1", "::1"].contains(address.host)
            let repair =
                isHere
                ? [
                    "sudo apt-get install gpsd gpsd-clients", "sudo systemctl enable --now gpsd.socket",
                    "gpspipe -w -n 5    # shows whether gpsd speaks at all",
                ]
                : [
                    "nc -vz \(address.host) \(address.port)    # on this machine",
                    "gpsd -G ...    # on the other one: -G lets others connect",
                ]
            return [Finding(.problem, "positions", failure.description, repair: repair)]
        }
        guard let receivers = facts.receivers else {
            return [Finding(.good, "positions", "gpsd answers at \(address).")]
        }
        if receivers.isEmpty {
            return [
                Finding(
                    .problem, "positions", "gpsd answers at \(address) and has no receiver.",
                    repair: ["sudo gpsdctl add /dev/ttyACM0    # the receiver's own path"])
            ]
        }
        let names = receivers.map(\.path).joined(separator: ", ")
        return [Finding(.good, "positions", "gpsd answers at \(address), with \(names).")]
    }

    private static func battery(_ facts: MachineFacts) -> [Finding] {
        guard let battery = facts.battery else { return [Finding(.good, "battery", "There is no battery.")] }
        let level = battery.level.map { "\(Int(($0 * 100).rounded())) %" } ?? "of unknown level"
        return [Finding(.good, "battery", "The battery is at \(level), \(battery.state.rawValue).")]
    }
}
