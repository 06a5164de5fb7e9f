// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import SystemCalls

/// Error messages about arguments that name nothing known. They list the known names and suggest the most similar one.
enum ArgumentMessages {
    /// Throws an error if the arguments begin with the name of an unknown command. The argument parser would only count
    /// the unexpected arguments.
    static func checkCommands(_ arguments: [String], of program: any ParsableCommand.Type) throws {
        guard let word = arguments.first, !word.hasPrefix("-"), word != "help" else { return }
        guard let command = program.subcommand(word) else {
            throw ValidationError(unknown("command", word, among: program.subcommandNames))
        }
        // The word after `simulate` may also be a file.
        guard let next = arguments.dropFirst().first, !next.hasPrefix("-"), command.subcommand(next) == nil,
            !FileIO.exists(next), let name = NameSuggestion.closest(to: next, among: command.subcommandNames)
        else { return }
        throw ValidationError(
            "There is neither a file nor a command of `\(word)` named '\(next)'. Did you mean '\(name)'?")
    }

    static func unknown(_ kind: String, _ word: String, among names: [String]) -> String {
        "There is no \(kind) '\(word)'.\(NameSuggestion.question(word, among: names)) Use one of \(list(names))."
    }

    /// Returns the error for the value of an option, in the same words as the argument parser's errors.
    static func invalid(_ word: String, for option: String, among names: [String]) -> ValidationError {
        let question = NameSuggestion.question(word, among: names)
        return ValidationError("The value '\(word)' is invalid for '\(option)'.\(question) Use one of \(list(names)).")
    }

    /// Returns the argument parser's message with a suggestion and a short list if it names a value that is none of the
    /// accepted values.
    static func withSuggestion(_ message: String) -> String {
        let pattern =
            #/
            (?<sentence>The\ value\ '(?<value>.*?)'\ is\ invalid\ for\ '[^']*'\.)\ Please\ provide\ one\ of
            (?<names>\ '[^\n]*'\.|\ the\ following:(?:\n\ \ -\ [^\n]*)+)
            /#
        guard let match = message.firstMatch(of: pattern) else { return message }
        let names = match.names.matches(of: /'([^']+)'|  - ([^\n]+)/).map { String($0.1 ?? $0.2 ?? "") }
        // If the value is a list, only one of its words may be unknown.
        let word = match.value.split(separator: ",").first { !names.contains(String($0)) } ?? match.value
        let question = NameSuggestion.question(word, among: names)
        return message.replacing(pattern, with: "\(match.sentence)\(question) Use one of \(list(names)).")
    }

    private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}

extension ParsableCommand {
    static var subcommandNames: [String] { configuration.subcommands.compactMap { $0.configuration.commandName } }

    static func subcommand(_ name: String) -> (any ParsableCommand.Type)? {
        configuration.subcommands.first { $0.configuration.commandName == name }
    }
}
