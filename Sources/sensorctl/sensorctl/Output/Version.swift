// SPDX-License-Identifier: Apache-2.0

/// The program's version, for `--version` and for the header of recorded traces.
enum Version {
    /// The version of the next release, until a tag with this version exists. scripts/package reads it from this file.
    static let number = "0.1.0"

    static let text = "sensorctl \(number)"
}
