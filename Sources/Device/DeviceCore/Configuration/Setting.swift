// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// A configured value and where it came from.
public struct Setting<Value: Sendable>: Sendable {
    /// Where a value came from.
    public enum Origin: Sendable, Hashable, CustomStringConvertible {
        /// Nobody said anything.
        case standard
        /// An environment variable of that name.
        case environment(String)
        /// A configuration file at that path.
        case file(String)
        /// The program itself, or a trace.
        case program

        /// The origin in words.
        public var description: String {
            switch self {
            case .standard: "default"
            case .environment(let name): "environment variable \(name)"
            case .file(let path): "file \(path)"
            case .program: "set by the program"
            }
        }
    }

    /// The value in force.
    public var value: Value
    /// Where it came from.
    public var origin: Origin

    /// A value of that origin.
    public init(_ value: Value, origin: Origin = .standard) {
        self.value = value
        self.origin = origin
    }
}
