// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// A member of a JSON object that this version does not know, kept as it stands.
public struct TraceMember: Sendable, Hashable {
    /// The key.
    public var name: String
    /// The value: one complete JSON value.
    public var json: [UInt8]

    /// A member of those parts; the value is not checked.
    public init(name: String, json: [UInt8]) {
        self.name = name
        self.json = json
    }
}
