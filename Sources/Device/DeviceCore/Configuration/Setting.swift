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

/// What the configuration says of a program's wish to use the position.
public enum LocationRule: String, Sendable {
    /// Undetermined until the first request or the first start, either of which is granted. The default.
    case grant
    /// Undetermined until the first request, which is granted; starting alone is not a request.
    case ask
    /// Granted as "always" from the start.
    case always
    /// Granted as "when in use" from the start.
    case whenInUse
    /// Denied.
    case deny
    /// Not to be had on this machine, whoever asks.
    case restrict
}
