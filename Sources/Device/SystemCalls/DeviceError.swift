// SPDX-License-Identifier: Apache-2.0

/// An error whose message explains how to resolve it. The frameworks convert the error to `CLError` or a similar error
/// and keep the original as the underlying error.
public struct DeviceError: Error, Sendable, CustomStringConvertible {
    /// An error code, which a program can handle in a `switch` statement. New codes may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case unreachable, connectionLost, silent, noFix, notSupported, invalidConfiguration, invalidTrace,
                permissionDenied, notFound, busy, inputOutput
        }

        private let kind: Kind

        /// The service does not respond: no process is listening, the host is unknown, or the connection attempt timed
        /// out.
        public static let unreachable = Code(kind: .unreachable)
        /// An established connection to the service was lost.
        public static let connectionLost = Code(kind: .connectionLost)
        /// The service is connected but sends no data.
        public static let silent = Code(kind: .silent)
        /// The receiver works but has no fix.
        public static let noFix = Code(kind: .noFix)
        /// This build or this machine does not support the operation.
        public static let notSupported = Code(kind: .notSupported)
        /// A configuration value is invalid.
        public static let invalidConfiguration = Code(kind: .invalidConfiguration)
        /// A trace cannot be read.
        public static let invalidTrace = Code(kind: .invalidTrace)
        /// The system denied the operation.
        public static let permissionDenied = Code(kind: .permissionDenied)
        /// The named resource does not exist.
        public static let notFound = Code(kind: .notFound)
        /// The resource is in use or exhausted.
        public static let busy = Code(kind: .busy)
        /// Reading or writing failed.
        public static let inputOutput = Code(kind: .inputOutput)

        /// The name of the code.
        public var description: String { kind.rawValue }
    }

    /// The underlying cause of a failure.
    public enum Cause: Sendable, Hashable {
        /// A system call failed with this error number.
        case system(call: String, errno: Int32)
        /// A library returned this error code.
        case library(name: String, code: Int32)
    }

    /// The error code.
    public var code: Code
    /// A description of the failure and its remedy. Control characters are replaced to protect terminals and logs.
    public var message: String { didSet { message = TerminalSanitizer.sanitizedLines(message, isSingleLine: true) } }
    /// The underlying cause, or nil if unknown.
    public var cause: Cause?
    /// The source file and line where the error was created.
    public private(set) var sourceLocation: String

    /// Creates an error at the current source location.
    public init(
        _ code: Code, _ message: String, cause: Cause? = nil, file: StaticString = #fileID, line: UInt = #line
    ) {
        self.code = code
        self.message = TerminalSanitizer.sanitizedLines(message, isSingleLine: true)
        self.cause = cause
        self.sourceLocation = "\(file):\(line)"
    }

    /// Returns a copy of the error whose message begins with a name, for example that of the affected device.
    package func within(_ name: String) -> DeviceError {
        var error = self
        error.message = "\(name): \(message)"
        return error
    }

    /// The message, followed by the cause.
    public var description: String {
        switch cause {
        case nil: message
        case .system(let call, let number): "\(message) (\(call): \(DeviceError.text(errno: number)))"
        case .library(let name, let code): "\(message) (\(name): \(code))"
        }
    }
}

extension DeviceError {
    static func noDescriptor(for owner: String, call: String) -> DeviceError {
        DeviceError(
            .busy, "No file descriptor is left for \(owner). Raise the limit of open files (ulimit -n).",
            cause: .system(call: call, errno: errno))
    }

    package static func text(errno number: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            buffer.initialize(repeating: 0)
            guard let start = buffer.baseAddress, strerror_r(number, start, buffer.count) == 0 else {
                return "error \(number)"
            }
            return "\(String(cString: start)), error \(number)"
        }
    }
}
