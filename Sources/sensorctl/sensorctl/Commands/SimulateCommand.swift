// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `sensorctl simulate`
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Plays a recording so that real programs take it for the real thing.",
        subcommands: [
            SimulateAllCommand.self, SimulateGPSDCommand.self, SimulateIIOCommand.self, SimulateAccessoryCommand.self,
        ],
        defaultSubcommand: SimulateAllCommand.self)
}
