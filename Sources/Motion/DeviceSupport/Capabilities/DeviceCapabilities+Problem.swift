// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

extension DeviceCapabilities {
    /// A capability that is not as a program requires.
    public struct Problem: Sendable, Hashable, CustomStringConvertible {
        /// What is wrong with it.
        public enum Kind: String, Sendable {
            /// It is required, and not there.
            case missing
            /// It must not be there, and is.
            case forbidden
            /// It is required, and nothing is known of it.
            case unknown
        }

        /// The name, as it was required.
        public var capability: String
        /// What is wrong with it.
        public var kind: Kind
        /// Why, in words.
        public var reason: String

        /// All of it in one line.
        public var description: String { "\(capability) (\(kind.rawValue)): \(reason)" }
    }
}
