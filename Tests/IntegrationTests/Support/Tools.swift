// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The installed tools.
enum Tools {
    static let gpsd = find("gpsd")
    static let gpsfake = find("gpsfake")
    static let gpspipe = find("gpspipe")
    static let python = find("/usr/bin/python3")
    /// Runs a program in its own terminal.
    static let script = find("script")

    /// The reasons for skipping tests.
    static let gpsdMissing: Comment = "gpsd is not installed: apt-get install gpsd"
    static let gpsfakeMissing: Comment = "gpsfake or gpspipe is not installed: apt-get install gpsd-clients"

    /// The folder with recorded receivers.
    static let traces = Checkout.traces.appendingPathComponent("gpsd")

    static func find(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
        let candidates = name.hasPrefix("/") ? [name] : folders.map { "\($0)/\(name)" }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Returns the first line of a program's output or errors, empty if the program does not run.
    static func firstLine(of program: String, _ arguments: String...) -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = output
        guard (try? process.run()) != nil else { return "" }
        let text = (try? output.fileHandleForReading.readToEnd()) ?? Data()
        process.waitUntilExit()
        return String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
