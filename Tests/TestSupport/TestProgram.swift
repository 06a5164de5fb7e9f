// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A program that was built with the tests and that they run as a process of its own.
package enum TestProgram: String, Sendable {
    /// Programs as they are written for iOS, and listings of documents, by their names.
    case apps = "TestProgramApps"
    /// A program with an async main.
    case asyncMain = "TestProgramAsyncMain"
    /// Parts of the package on their own, by their names. The main function is not async.
    case commands = "TestProgramCommands"

    /// Where it lies: beside the tests.
    package var path: String {
        get throws {
            let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent(rawValue).path
        }
    }

    /// What to run for one of its parts.
    package func command(_ words: String...) throws -> [String] { [try path] + words }

    /// What the kernel calls its processes: it keeps 15 bytes of a name.
    package var processName: String { String(rawValue.prefix(15)) }
}
