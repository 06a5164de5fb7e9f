// SPDX-License-Identifier: Apache-2.0

/// What went wrong with a device, in words that say what to do about it.
///
/// The frameworks map it to `CLError` and the like; the original stays reachable as the underlying error.
public struct DeviceError: Error, Sendable, CustomStringConvertible {
    /// A kind of failure to switch on; new kinds may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case unreachable, connectionLost, silent, noFix, notSupported, invalidConfiguration, invalidTrace,
                permissionDenied
            case notFound, busy, inputOutput
        }

        private let kind: Kind

        /// The service does not answer: nobody listens, the name is unknown, or connecting takes too long.
        public static let unreachable = Code(kind: .unreachable)
        /// The service went away after it had been reached.
        public static let connectionLost = Code(kind: .connectionLost)
        /// The service is there and says nothing.
        public static let silent = Code(kind: .silent)
        /// The receiver works and has no fix.
        public static let noFix = Code(kind: .noFix)
        /// This build or this machine cannot do it.
        public static let notSupported = Code(kind: .notSupported)
        /// A configuration value cannot be used.
        public static let invalidConfiguration = Code(kind: .invalidConfiguration)
        /// A trace cannot be read.
        public static let invalidTrace = Code(kind: .invalidTrace)
        /// The system does not allow it.
        public static let permissionDenied = Code(kind: .permissionDenied)
        /// The thing that was named does not exist.
        public static let notFound = Code(kind: .notFound)
        /// Somebody else has it.
        public static let busy = Code(kind: .busy)
        /// Reading or writing failed.
        public static let inputOutput = Code(kind: .inputOutput)

        /// The code's name.
        public var description: String { kind.rawValue }
    }

    /// What lies behind the failure.
    public enum Cause: Sendable, Hashable {
        /// A system call failed with this error number.
        case system(call: String, errno: Int32)
        /// A library answered with this code.
        case library(name: String, code: Int32)
    }

    /// The kind of failure.
    public var code: Code
    /// One or two sentences: what happened, to what, and what to do about it. What others have named cannot control a
    /// terminal or a log in it.
    public var message: String { didSet { message = ShownText.lines(message, isOne: true) } }
    /// What lies behind it, when something does.
    public var cause: Cause?
    /// The source file and line that noticed it.
    public private(set) var place: String

    /// A failure of that kind, noticed here.
    public init(
        _ code: Code, _ message: String, cause: Cause? = nil, file: StaticString = #fileID, line: UInt = #line
    ) {
        self.code = code
        self.message = ShownText.lines(message, isOne: true)
        self.cause = cause
        self.place = "\(file):\(line)"
    }

    /// The same failure, with the name of the place that it was found in before the message.
    package func within(_ name: String) -> DeviceError {
        var error = self
        error.message = "\(name): \(message)"
        return error
    }

    /// The message, with the cause behind it.
    public var description: String {
        switch cause {
        case nil: message
        case .system(let call, let number): "\(message) (\(call): \(DeviceError.text(errno: number)))"
        case .library(let name, let code): "\(message) (\(name): \(code))"
        }
    }
}

extension DeviceError {
    /// The system's words for an error number, with the number.
    package static func text(errno number: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            buffer.initialize(repeating: 0)
            guard let start = buffer.baseAddress else { return "error \(number)" }
            guard strerror_r(number, start, buffer.count) == 0 else { return "error \(number)" }
            return "\(String(cString: start)), error \(number)"
        }
    }
}
