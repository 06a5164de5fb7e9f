// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A unit of the Debian package, as far as it matters to the program that it starts.
struct ServiceUnit {
    /// The words of its ExecStart.
    var command: [String] = []
    var environment: [String: String] = [:]

    /// Reads the unit with what scripts/package adds to it, and with grants.
    ///
    /// - Parameters:
    ///   - state: what /var/lib is to be.
    ///   - options: what a drop-in puts in the place of the unit's options.
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

    /// Assignments with blanks between them; one that is quoted may have blanks in it.
    private static func variables(_ text: String) -> [(String, String)] {
        let assignments = text.hasPrefix("\"") ? [text.dropFirst().dropLast()] : text.split(separator: " ")
        return assignments.map { assignment in
            let parts = assignment.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
        }
    }

    /// As systemd.service(5) has it: $NAME as a word of its own is split at blanks, ${NAME} is put in as it is.
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
