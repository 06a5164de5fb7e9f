// SPDX-License-Identifier: Apache-2.0

/// A configured value and its origin.
public struct Setting<Value: Sendable>: Sendable {
    /// The origin of a value.
    public enum Origin: Sendable, Hashable, CustomStringConvertible {
        /// The default value.
        case standard
        /// The environment variable with this name.
        case environment(String)
        /// The configuration file at this path.
        case file(String)
        /// The program itself, or a trace.
        case program

        /// A description of the origin.
        public var description: String {
            switch self {
            case .standard: "default"
            case .environment(let name): "environment variable \(name)"
            case .file(let path): "file \(path)"
            case .program: "set by the program"
            }
        }
    }

    /// The effective value.
    public var value: Value
    /// The origin of the value.
    public var origin: Origin

    /// Creates a setting.
    public init(_ value: Value, origin: Origin = .standard) {
        self.value = value
        self.origin = origin
    }
}

/// The rule for location authorization of programs.
public enum LocationRule: String, Sendable {
    /// Undetermined until the program first requests authorization or starts updates; either one grants it. The
    /// default.
    case grant
    /// Undetermined until the program first requests authorization, which grants it. Starting updates is not a request.
    case ask
    /// Authorized as "always" from the start.
    case always
    /// Authorized as "when in use" from the start.
    case whenInUse
    /// Denied.
    case deny
    /// Restricted: no program on this machine can use the location.
    case restrict
}
