// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import SensorTools

struct Sensorctl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sensorctl",
        abstract: "Show, record and replay position, motion and accessory data.",
        discussion: """
            Data goes to standard output, and messages go to standard error. With --json, commands print one JSON \
            object per line. To stop a command, send it SIGINT (Ctrl-C) or SIGTERM.

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
            CommandGroup(name: "Set-up", subcommands: [DoctorCommand.self, CalibrateCommand.self, RulesCommand.self]),
            CommandGroup(
                name: "Recording",
                subcommands: [
                    ReplayCommand.self, PlotCommand.self, DemoCommand.self, InfoCommand.self, ConvertCommand.self,
                    CutCommand.self, MergeCommand.self, ScrubCommand.self,
                ]),
            CommandGroup(name: "Simulation", subcommands: [SimulateCommand.self, SynthesizeCommand.self]),
            CommandGroup(name: "Reference", subcommands: [FieldCommand.self, PlaceCommand.self]),
        ])

    func run() {
        StandardOutput(stop: StopRequest()).write(line: NextSteps.text(program: CommandLine.arguments.first ?? ""))
    }
}

/// The commands that the program suggests when it is run without arguments.
enum NextSteps {
    /// The path of a sample trace in a clone of the repository.
    private static let sample = "Simulators/Traces/synthetic/mountain-road.json"

    static var commands: [(String, String)] {
        let doctor = ("doctor", "check this machine and show how to fix problems")
        let record = ("record drive.jsonl", "record positions and motion until Ctrl-C")
        return access(sample, R_OK) == 0
            ? [("dashboard \(sample) --open", "play a sample drive on a page in the browser"), doctor, record]
            : [doctor, record, ("dashboard drive.jsonl --open", "play the recording on a page in the browser")]
    }

    /// - Parameter program: The name or path used to run the program.
    static func text(program: String) -> String {
        // If the user ran the program by its path, the commands also use the path, because the program may not be in
        // PATH.
        let name = program.contains("/") ? program : "sensorctl"
        let lines = commands.map { command, purpose in "  # \(purpose)\n  \(name) \(command)" }
        return "Try next:\n\(lines.joined(separator: "\n"))\nAll commands: \(name) --help"
    }
}

@main enum Main {
    static func main() {
        // Does not return in a process started to execute a child program.
        ParentDeathSignal.execProgramIfRequested()
        // Must be called before any file is opened.
        Descriptor.openStandardDescriptors()
        Log.bootstrap()
        Termination.ignoreBrokenPipes()
        SignalDispatcher.unblockOnFirstThread()
        Task {
            do {
                let arguments = Array(CommandLine.arguments.dropFirst())
                try HelpTopic.answer(arguments, of: Sensorctl.self)
                try ArgumentMessages.checkCommands(arguments, of: Sensorctl.self)
                var command = try Sensorctl.parseAsRoot()
                if var command = command as? any AsyncParsableCommand {
                    try await command.run()
                } else {
                    try command.run()
                }
                exit(ExitStatus.success.rawValue)
            } catch { end(error) }
        }
        // On Linux, an async `main` would give up the main thread, so the main actor would run on other threads.
        RunLoop.main.run()
    }

    /// Prints the requested help or a message about invalid arguments and ends the program.
    private static func end(_ error: any Error) -> Never {
        let code = Sensorctl.exitCode(for: error)
        let message = Sensorctl.fullMessage(for: error)
        let text =
            message.hasPrefix("OVERVIEW: ") ? HelpText.arranged(message) : ArgumentMessages.withSuggestion(message)
        if !text.isEmpty {
            let descriptor = code == .success ? Descriptor.standardOutput : .standardError
            if case .failed = descriptor.write(TerminalText.lines(text + "\n")), code == .success {
                exit(ExitStatus.inputOutput.rawValue)
            }
        }
        exit(code.rawValue)
    }
}
