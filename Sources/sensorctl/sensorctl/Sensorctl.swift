// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import SensorTools

/// The command line over the device services.
struct Sensorctl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sensorctl",
        abstract: "Shows, records and replays where this machine is, how it moves, and what is attached to it.",
        discussion: """
            Positions come from gpsd; set DEVICE_SERVICES_GPSD to gpsd://host:port for another place than this \
            machine, or to mqtt://broker/owntracks/USER/DEVICE for those of a board that publishes there. \
            Motion comes from the kernel's sensors through libiio; set DEVICE_SERVICES_IIO to ip:host for those of another \
            machine. Accessories come from udev and from what is declared in the folders of DEVICE_SERVICES_ACCESSORIES. \
            Data goes to standard output, notes go to standard error. With --json every verb prints one object a line, \
            each line at once. SIGINT and SIGTERM end every verb cleanly.

            \(ExitStatus.documentation)

            Examples:
              sensorctl doctor
              sensorctl watch location
              sensorctl record drive.jsonl
              sensorctl replay drive.jsonl location --speed 10
            """,
        version: Version.text,
        groupedSubcommands: [
            CommandGroup(
                name: "Live",
                subcommands: [
                    ListCommand.self, WatchCommand.self, DashboardCommand.self, TalkCommand.self, RecordCommand.self,
                    PublishCommand.self,
                ]),
            CommandGroup(
                name: "Set-up", subcommands: [DoctorCommand.self, CalibrateCommand.self, RulesCommand.self]),
            CommandGroup(
                name: "Recording",
                subcommands: [
                    ReplayCommand.self, PlotCommand.self, DemoCommand.self, InfoCommand.self, ConvertCommand.self,
                    CutCommand.self,
                    MergeCommand.self, ScrubCommand.self,
                ]),
            CommandGroup(name: "Simulation", subcommands: [SimulateCommand.self, SynthesizeCommand.self]),
            CommandGroup(name: "Reference", subcommands: [FieldCommand.self, PlaceCommand.self]),
        ]
    )

    func run() { StandardOutput(stop: Stop()).write(line: NextSteps.text(program: CommandLine.arguments.first ?? "")) }
}

/// What to try next: the program says it when it is called without a word, and so the demo ends.
enum NextSteps {
    /// In a clone a drive is at hand, so the page comes first; elsewhere something has to be recorded before.
    private static let sample = "Simulators/Traces/synthetic/mountain-road.json"

    static var commands: [(String, String)] {
        let doctor = ("doctor", "what this machine has, and what mends the rest")
        let record = ("record drive.jsonl", "positions and motion, until Ctrl-C")
        return access(sample, R_OK) == 0
            ? [("dashboard \(sample) --open", "a drive, on a page in the browser"), doctor, record]
            : [doctor, record, ("dashboard drive.jsonl --open", "what was recorded, on a page in the browser")]
    }

    /// - Parameter program: as it was called.
    static func text(program: String) -> String {
        // One that is not in PATH is called by its path.
        let name = program.contains("/") ? program : "sensorctl"
        let lines = commands.map { command, purpose in "  # \(purpose)\n  \(name) \(command)" }
        return "Try next:\n\(lines.joined(separator: "\n"))\nAll commands: \(name) --help"
    }
}

/// Where the program starts.
@main
enum Main {
    static func main() {
        ParentBond.becomeProgramIfAsked()
        Descriptor.openStandardOnes()
        Notes.bootstrap()
        Termination.ignoreBrokenPipes()
        SignalInbox.unblockOnFirstThread()
        Task {
            do {
                var command = try Sensorctl.parseAsRoot()
                if var command = command as? any AsyncParsableCommand {
                    try await command.run()
                } else {
                    try command.run()
                }
                exit(ExitStatus.success.rawValue)
            } catch {
                end(error)
            }
        }
        // Not an async main: on Linux that gives the main thread up, and the main actor then runs on others.
        RunLoop.main.run()
    }

    /// Ends the program with the help that was asked for, or with what is wrong with the arguments.
    private static func end(_ error: any Error) -> Never {
        let code = Sensorctl.exitCode(for: error)
        let text = Sensorctl.fullMessage(for: error)
        if !text.isEmpty {
            let descriptor = code == .success ? Descriptor.standardOutput : .standardError
            if case .failed = descriptor.write(Printable.lines(text + "\n")), code == .success {
                exit(ExitStatus.inputOutput.rawValue)
            }
        }
        exit(code.rawValue)
    }
}
