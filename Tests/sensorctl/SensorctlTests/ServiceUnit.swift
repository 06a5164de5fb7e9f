// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The parts of a systemd unit of the Debian package that affect its program: the command and the environment.
struct ServiceUnit {
    /// The words of ExecStart.
    var command: [String] = []
    var environment: [String: String] = [:]

    /// Reads the unit, the additions of scripts/package and the grants.
    ///
    /// - Parameters:
    ///   - state: the directory that replaces /var/lib.
    ///   - options: the options of a drop-in, which replace those of the unit.
    init(_ name: String, grants: [String], state: String, options: String? = nil) throws {
        let files = [name + ".service", "sandbox.conf"] + grants.map { "grants/\($0).conf" }
        var line = ""
        for file in files {
            let text = try String(contentsOfFile: "\(Tool.root)/Packaging/\(file)", encoding: .utf8)
            for setting in text.split(separator: "\n") {
                if setting.hasPrefix("ExecStart=") { line = String(setting.dropFirst(10)) }
                guard setting.hasPrefix("Environment=") else { continue }
                for (name, value) in Self.variables(String(setting.dropFirst(12))) { environment[name] = value }
            }
        }
        if let options { environment["SENSORCTL_OPTIONS"] = options }
        command = expanded(line.replacingOccurrences(of: "%S", with: state))
    }

    /// Parses assignments separated by spaces. A quoted assignment may contain spaces.
    private static func variables(_ text: String) -> [(String, String)] {
        let assignments = text.hasPrefix("\"") ? [text.dropFirst().dropLast()] : text.split(separator: " ")
        return assignments.map { assignment in
            let parts = assignment.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
        }
    }

    /// Expands variables like systemd.service(5): $NAME as a separate word is split at spaces, ${NAME} is inserted
    /// unchanged.
    private func expanded(_ line: String) -> [String] {
        line.split(separator: " ").flatMap { word -> [String] in
            if word.hasPrefix("$"), !word.hasPrefix("${") {
                return (environment[String(word.dropFirst())] ?? "").split(separator: " ").map(String.init)
            }
            return [
                environment.reduce(String(word)) { word, variable in
                    word.replacingOccurrences(of: "${\(variable.key)}", with: variable.value)
                }
            ]
        }
    }
}
