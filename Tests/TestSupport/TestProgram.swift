// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A program that was built with the tests and that they run in a separate process.
package enum TestProgram: String, Sendable {
    /// Programs as written for iOS, and listings of documents, selected by name.
    case apps = "TestProgramApps"
    /// A program with an async main.
    case asyncMain = "TestProgramAsyncMain"
    /// Individual parts of the package, selected by name. The main function is not async.
    case commands = "TestProgramCommands"

    /// The path of the program, next to the test executable.
    package var path: String {
        get throws {
            let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent(rawValue).path
        }
    }

    /// Returns the command line of one part.
    package func command(_ words: String...) throws -> [String] { [try path] + words }

    /// The kernel's name for its processes, which is limited to 15 bytes.
    package var processName: String { String(rawValue.prefix(15)) }
}
