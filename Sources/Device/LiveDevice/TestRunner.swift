// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Logging

/// Notices a test runner, in which reaching for live hardware is mostly a mistake.
enum TestRunner {
    /// True when the program is a test bundle or its runner.
    static let isPresent: Bool =
        CommandLine.arguments.first.map { program in
            program.hasSuffix(".xctest") || program.hasSuffix("swiftpm-testing-helper")
        } ?? false

    /// Logged at the first use.
    static let notice: Void = Logger(label: "device-services").notice(
        "A manager was made outside of a simulated device while tests run: it uses the live sensors. Make it inside device.use { } or after device.install()."
    )
}
