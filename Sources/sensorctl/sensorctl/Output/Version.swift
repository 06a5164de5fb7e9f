// SPDX-License-Identifier: Apache-2.0

/// The version of the program. `--version` prints it, and recorded traces contain it in their headers.
enum Version {
    /// The version of the next release. scripts/package reads it from this file.
    static let number = "0.1.0"

    static let text = "sensorctl \(number)"
}
