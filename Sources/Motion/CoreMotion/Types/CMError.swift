// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The code of an error of Core Motion.
///
/// It is not an error itself: handlers get, and functions throw, an `NSError` in ``CMErrorDomain`` whose code is the raw
/// value of one of the constants.
public struct CMError: RawRepresentable, Equatable, Sendable {
    /// The number of the code.
    public var rawValue: UInt32

    /// The code of that number.
    public init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The code of that number.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }
}

/// The domain of Core Motion's errors.
public let CMErrorDomain: String = "CMErrorDomain"
