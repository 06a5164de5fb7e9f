// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import ExternalAccessory
import LiveDevice
import SensorTools

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Says why nothing arrives, and what mends it.",
        discussion: """
            Looks at the configuration, at gpsd, at the kernel's sensors and who may use them, at accessories \
            and who may open them or has them open, at BlueZ, and listens to every \
            sensor for a moment. Lines under a finding are commands to copy. With --json each line is an object with \
            "kind" setting or finding; a finding has "level" good, remark or problem.

            Exits with 69 when there is a problem. See sensorctl --help for the other exit codes.

            Examples:
              sensorctl doctor
              sensorctl doctor --seconds 5 --json
            """)

    @Option(help: "How many seconds to listen to the sensors.")
    var seconds = 1.5

    @OptionGroup var output: OutputOptions

    func validate() throws { try Self.validate(duration: seconds) }

    func run() async throws { try await Termination.during { await diagnose($0) } }

    private func diagnose(_ stop: Stop) async -> ExitStatus {
        guard let report = await Self.examine(LiveDevice.withAccessories, seconds: seconds, stop: stop) else {
            return .success
        }
        StandardOutput(stop: stop).write(report, asJSON: output.json)
        return stop.status(or: report.hasProblem ? .unavailable : .success)
    }

    /// What is found on this machine; nil when a signal has come meanwhile.
    ///
    /// - Parameters:
    ///   - seconds: how long sensors are listened to.
    ///   - isListening: true where this program listens to the sensors already.
    static func examine(
        _ device: Device, seconds: Double, isListening: Bool = false, stop: Stop
    ) async -> DiagnosisReport? {
        // Before anything is started, so that nobody but others can be found at work.
        var facts = MachineFacts(of: device)
        if isListening { facts.ignoreCaptures() }
        async let answer = ServiceProbe.ask(device, atMost: 2, stop: stop)
        async let trials = SensorTrial.run(device, seconds: seconds, stop: stop)
        let user = facts.user
        async let accessories = AccessoryFacts.load(device, user: user)
        let (position, motion) = await (answer, trials)
        if case .signal? = stop.reason { return nil }
        facts.trials = motion
        facts.accessories = await accessories
        facts.beacons = BeaconHearing(device.beaconSource)
        facts.motionProblems = device.motionSource.problems
        let stored = StoredCalibrations(device)
        (facts.calibrations, facts.calibrationProblems, facts.now) =
            (stored.entries, stored.problems, device.clock.wallTime)
        (facts.positionFailure, facts.receivers) = (position.failure, position.receivers)
        return DiagnosisReport(facts: facts, diagnosis: Diagnosis(facts))
    }
}

struct RulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "Prints the rules for udev that let a group use accessories and keep other programs off them.",
        discussion: """
            Devices that rules of the configuration name are granted as well.

            The Debian package has the rules already, without those of a configuration. To install them elsewhere, or anew:
              sensorctl rules | sudo tee /etc/udev/rules.d/\(UdevRules.fileName)
              sudo udevadm control --reload && sudo udevadm trigger

            Examples:
              sensorctl rules
            """)

    func run() throws {
        let stop = Stop()
        StandardOutput(stop: stop).write(UdevRules.text(granting: Configuration.load()))
        try stop.status().end()
    }
}
