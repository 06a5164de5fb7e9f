// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

/// The code of a Core Motion error.
///
/// An error is reported as an `NSError` in the domain ``CMErrorDomain``. The error's code is the raw value of a
/// `CMError` constant.
public struct CMError: RawRepresentable, Equatable, Sendable {
    /// The numeric code.
    public var rawValue: UInt32

    /// Creates a code from its raw value.
    public init(_ rawValue: UInt32) { self.rawValue = rawValue }

    /// Creates a code from its raw value.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// The domain of Core Motion's errors.
public let CMErrorDomain: String = "CMErrorDomain"

// The codes are global constants, as in Swift on Apple's platforms.

/// No error (100).
public let CMErrorNULL = CMError(100)
/// The device must be moved to calibrate its sensors (101).
public let CMErrorDeviceRequiresMovement = CMError(101)
/// True north is unknown because the position is unknown (102).
public let CMErrorTrueNorthNotAvailable = CMError(102)
/// An unknown error (103).
public let CMErrorUnknown = CMError(103)
/// Activities and steps are not available on this device (104).
public let CMErrorMotionActivityNotAvailable = CMError(104)
/// The app is not authorized to access motion activities (105).
public let CMErrorMotionActivityNotAuthorized = CMError(105)
/// The app is not entitled to access motion activities (106).
public let CMErrorMotionActivityNotEntitled = CMError(106)
/// An argument is invalid (107).
public let CMErrorInvalidParameter = CMError(107)
/// The requested action is not possible in the current state (108).
public let CMErrorInvalidAction = CMError(108)
/// The sensor or service is missing, or delivers no data (109).
public let CMErrorNotAvailable = CMError(109)
/// The app lacks an entitlement (110).
public let CMErrorNotEntitled = CMError(110)
/// The app is not authorized to use the sensor (111).
public let CMErrorNotAuthorized = CMError(111)
/// There is no data (112).
public let CMErrorNilData = CMError(112)
/// A size is invalid (113).
public let CMErrorSize = CMError(113)

extension CMError {
    func error(_ explanation: String) -> NSError {
        NSError(domain: CMErrorDomain, code: Int(rawValue), userInfo: [NSLocalizedDescriptionKey: explanation])
    }

    /// Converts a device error to an error for the app. The device error becomes the underlying error.
    static func error(_ cause: DeviceError) -> NSError {
        let code = cause.code == .permissionDenied ? CMErrorNotAuthorized : CMErrorNotAvailable
        return NSError(
            domain: CMErrorDomain, code: Int(code.rawValue),
            userInfo: [NSUnderlyingErrorKey: cause, NSLocalizedDescriptionKey: cause.description])
    }
}

extension MotionStreamFailure {
    var error: NSError {
        switch self {
        case .loss(_, let cause): CMError.error(cause)
        case .requiresMovement:
            CMErrorDeviceRequiresMovement.error(
                "North is uncertain: the magnetometer is not calibrated. Turn the device about all of its axes, away "
                    + "from iron.")
        case .noTrueNorth:
            CMErrorTrueNorthNotAvailable.error(
                "True north is unknown without a position. Request location updates. Until a position arrives, "
                    + "attitudes are relative to magnetic north.")
        }
    }
}

/// An app's authorization to use a sensor. On Linux, an app is authorized if it can read the sensor's device node.
public enum CMAuthorizationStatus: Int, Sendable {
    /// The user has not decided yet. On Linux, this means that the device has no readable sensor of this kind.
    case notDetermined = 0
    /// The app is not permitted to use the sensor, and the user cannot change this.
    case restricted = 1
    /// The user has denied access.
    case denied = 2
    /// The app is permitted to use the sensor.
    case authorized = 3
}
