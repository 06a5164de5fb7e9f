// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import LiveDevice

/// `sensorctl doctor`
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Says why nothing arrives, and what mends it.",
        discussion: """
            Looks at the configuration, at gpsd, at the kernel's sensors and who may use them, at accessories \
            and who may open them or has them open, and listens to every \
            sensor for a moment. Lines under a finding are commands to copy. With --json each line is an object with \
            "kind" setting or finding; a finding has "level" good, remark or problem.

            Exits with 69 when there is a problem. See sensorctl --help for the other exit codes.
            """)

    @Option(help: "How many seconds to listen to the sensors.")
    var seconds = 1.5

    @OptionGroup var output: OutputOptions

    func validate() throws {
        try WatchCommand.validate(duration: seconds)
    }

    func run() async throws {
        let stop = Stop()
        let termination = Termination(stop)
        defer { withExtendedLifetime(termination) {} }
        let device = LiveDevice.shared
        var facts = MachineFacts(
            configuration: device.configuration, traits: MachineReport.traits, user: "", isRoot: false,
            hasKernelBus: false, kernelSensors: [], triggers: [], canMakeTimerTriggers: false, trials: [],
            positionFailure: nil, receivers: nil, battery: device.statusSource.battery)
        // Before anything is started, so that nobody but others can be found at work.
        facts.readKernel()
        facts.readEnvironment()
        async let answer = ServiceProbe.ask(device, atMost: 2, stop: stop)
        async let trials = SensorTrial.run(device, seconds: seconds, stop: stop)
        let user = facts.user
        async let accessories = AccessoryFacts.load(device, user: user)
        let (position, motion) = await (answer, trials)
        if case .signal? = stop.reason { return }
        facts.trials = motion
        facts.accessories = await accessories
        facts.motionProblems = device.motionSource.problems
        let stored = StoredCalibrations(device)
        (facts.calibrations, facts.calibrationProblems, facts.now) =
            (stored.entries, stored.problems, device.clock.wallTime)
        (facts.positionFailure, facts.receivers) = (position.failure, position.receivers)
        let diagnosis = Diagnosis(facts)
        let report = DiagnosisReport(facts: facts, diagnosis: diagnosis)
        let standardOutput = StandardOutput(stop: stop)
        if output.json {
            standardOutput.write(report.json())
        } else {
            standardOutput.write(line: report.text(ink: Ink(.standardOutput)))
        }
        let status: ExitStatus = diagnosis.hasProblem ? .unavailable : .success
        try (stop.reason?.status(isComplete: true, shortfall: "") ?? status).end()
    }
}
