// SPDX-License-Identifier: Apache-2.0

/// The program's version, as printed by `--version` and stored in the headers of recorded traces.
enum Version {
    /// The version of the next release. scripts/package reads this file.
    static let number = "0.1.0"

    static let text = "sensorctl \(number)"
}
