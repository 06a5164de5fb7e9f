// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import ExternalAccessory
import LiveDevice
import SensorTools

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists what this machine has and what is configured.",
        discussion: """
            Asks gpsd for at most two seconds and looks for sensors for at most three; that nothing is there is no \
            failure of this verb. With --json each line is an object with "kind": positionSource, receiver, motionSource, \
            sensor, accessorySource, accessory, accessoryCandidate, battery, authorization, traits, problem. See sensorctl --help for the exit codes.

            Examples:
              sensorctl list
              sensorctl list --json
            """)

    @OptionGroup var output: OutputOptions

    func run() async throws { try await Termination.during { try await list($0) } }

    private func list(_ stop: Stop) async throws -> ExitStatus {
        let device = LiveDevice.withAccessories
        // Both may wait for somebody to answer.
        async let sensors = Self.sensors(of: device)
        async let accessories = AccessoryList.load(device.accessorySource)
        let answer = await ServiceProbe.ask(device, atMost: 2, stop: stop)
        if case .signal? = stop.reason { return .success }
        let report = MachineReport(of: device, answer: answer, sensors: await sensors, accessories: await accessories)
        StandardOutput(stop: stop).write(report, asJSON: output.json)
        return stop.status()
    }

    /// The sensors, asked for off the main thread.
    @concurrent private static func sensors(of device: Device) async -> [SensorDescription] {
        device.motionSource.sensors
    }
}
