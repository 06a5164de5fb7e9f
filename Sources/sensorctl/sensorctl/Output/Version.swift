// SPDX-License-Identifier: Apache-2.0

/// What the tool calls itself, in --version and in the traces that it makes.
enum Version {
    /// That of the next release until a tag has the same. scripts/package reads it here.
    static let number = "0.1.0"

    static let text = "sensorctl \(number)"
}
