// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore

/// A topic of `sensorctl help TOPIC`, which explains the arguments and the output of several commands.
enum HelpTopic: String, CaseIterable {
    case formats, faults, times, streams, events, json, environment
    case exitCodes = "exit-codes"

    var abstract: String {
        switch self {
        case .formats: "The formats of recordings, and the columns of tables."
        case .faults: "The faults that can be injected."
        case .times: "Times, durations, places and regions."
        case .streams: "The streams and parts of recordings, and their units."
        case .events: "The events on which a black box saves its data."
        case .json: "The objects that commands print with --json."
        case .environment: "The environment variables for devices and files."
        case .exitCodes: "The exit codes, and the effect of signals."
        }
    }

    var text: String { HelpText.wrapped("\(abstract)\n\n\(body)") }

    private var body: String {
        switch self {
        case .formats: Self.formatsText
        case .faults: Self.faultsText
        case .times: Self.timesText
        case .streams: Self.streamsText
        case .events: Self.eventsText
        case .json: Self.jsonText
        case .environment: Self.environmentText
        case .exitCodes: ExitStatus.documentation
        }
    }

    /// The list of topics for the help of the whole program.
    static var section: String { "HELP TOPICS:" + allCases.map { "\n\($0.rawValue)  \($0.abstract)" }.joined() }

    /// Throws the text of a topic if the arguments request one, or an error if they request help about something that
    /// does not exist. Returns if the argument parser should answer.
    static func answer(_ arguments: [String], of program: any ParsableCommand.Type) throws {
        guard arguments.first == "help" else { return }
        var command = program
        for (index, word) in arguments.dropFirst().enumerated() where !word.hasPrefix("-") {
            let topics = index == 0 ? allCases.map(\.rawValue) : []
            let names = command.subcommandNames + topics
            if let topic = HelpTopic(rawValue: word), index == 0 { throw CleanExit.message(topic.text) }
            if names.isEmpty || word == "help" { return }
            guard let next = command.subcommand(word) else {
                throw ValidationError(ArgumentMessages.unknown("command or help topic", word, among: names))
            }
            command = next
        }
    }
}
