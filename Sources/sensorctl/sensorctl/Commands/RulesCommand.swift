// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SensorTools

/// `sensorctl rules`
struct RulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "Prints the rules for udev that let a group use accessories and keep other programs off them.",
        discussion: """
            To install them:
            sensorctl rules | sudo tee /etc/udev/rules.d/\(UdevRules.fileName) && sudo udevadm control --reload && sudo udevadm trigger
            """)

    func run() throws {
        let stop = Stop()
        StandardOutput(stop: stop).write(Array(UdevRules.text.utf8))
        try stop.status().end()
    }
}
