// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import ExternalAccessory
import LiveDevice
import SensorTools

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the devices and the configuration of this machine.",
        discussion: """
            The command queries gpsd for at most two seconds and searches for sensors for at most three seconds. It \
            succeeds even if it finds nothing.

            Examples:
              sensorctl list
              sensorctl list --json
            """)

    @OptionGroup var output: OutputOptions

    func run() async throws { try await Termination.run { try await list($0) } }

    private func list(_ stop: StopRequest) async throws -> ExitStatus {
        let device = LiveDevice.withAccessories
        async let sensors = Self.sensors(of: device)
        async let accessories = AccessoryList.load(device.accessorySource)
        let answer = await ServiceProbe.query(device, timeout: 2, stop: stop)
        if case .signal? = stop.reason { return .success }
        let report = MachineReport(of: device, answer: answer, sensors: await sensors, accessories: await accessories)
        StandardOutput(stop: stop).write(report, asJSON: output.json)
        return stop.status()
    }

    /// Runs outside the main actor, because the query may block.
    @concurrent private static func sensors(of device: Device) async -> [SensorDescription] {
        device.motionSource.sensors
    }
}
