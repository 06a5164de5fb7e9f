// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import ExternalAccessory
import LiveDevice
import SensorTools

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Find out why data is not arriving, and show how to fix the problem.",
        discussion: """
            The command checks the configuration, gpsd, BlueZ, sensors, accessories and permissions, and reads each \
            sensor for a short time. Below a problem, it prints the commands that fix it.

            Examples:
              sensorctl doctor
              sensorctl doctor --seconds 5 --json
            """)

    @Option(help: "The time for which each sensor is read, in seconds.", transform: Seconds.parse) var seconds = 1.5
    @OptionGroup var output: OutputOptions

    func validate() throws { try Self.validate(duration: seconds, option: "--seconds") }

    func run() async throws { try await Termination.run { await diagnose($0) } }

    private func diagnose(_ stop: StopRequest) async -> ExitStatus {
        guard let report = await Self.examine(LiveDevice.withAccessories, seconds: seconds, stop: stop) else {
            return .success
        }
        StandardOutput(stop: stop).write(report, asJSON: output.json)
        return stop.status(or: report.hasProblem ? .unavailable : .success)
    }

    /// - Parameter isListening: True if this program has already subscribed to sensors.
    /// - Returns: The report, or nil if a signal arrives before the report is complete.
    static func examine(
        _ device: Device, seconds: Double, isListening: Bool = false, stop: StopRequest
    ) async -> DiagnosisReport? {
        // Collects the state before subscribing to sensors. Any buffer in use must therefore belong to another program.
        var facts = MachineState(of: device)
        if isListening { facts.ignoreBufferUse() }
        async let answer = ServiceProbe.query(device, timeout: 2, stop: stop)
        async let trials = SensorTrial.run(device, seconds: seconds, stop: stop)
        let user = facts.user
        async let accessories = AccessoryState.load(device, user: user)
        let (position, motion) = await (answer, trials)
        if case .signal? = stop.reason { return nil }
        facts.trials = motion
        facts.accessories = await accessories
        facts.beacons = BeaconAvailability(device.beaconSource)
        facts.motionProblems = device.motionSource.problems
        let stored = StoredCalibrations(device)
        (facts.calibrations, facts.calibrationProblems, facts.now) =
            (stored.entries, stored.problems, device.clock.wallTime)
        (facts.positionFailure, facts.receivers) = (position.failure, position.receivers)
        return DiagnosisReport(facts)
    }
}

struct RulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "Print udev rules for access to accessories.",
        discussion: """
            The rules give a group access to accessories and make other programs ignore them. Write them to \
            /etc/udev/rules.d/\(UdevRules.fileName), and run `sudo udevadm control --reload`. The Debian package \
            contains the rules, except for the devices in your configuration.

            Examples:
              sensorctl rules
            """)

    func run() throws {
        let stop = StopRequest()
        StandardOutput(stop: stop).write(UdevRules.text(granting: Configuration.load()))
        try stop.status().exit()
    }
}
