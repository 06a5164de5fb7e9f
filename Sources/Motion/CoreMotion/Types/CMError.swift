// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

/// The code of an error of Core Motion.
///
/// It is not an error itself: handlers get, and functions throw, an `NSError` in ``CMErrorDomain`` whose code is the raw
/// value of one of the constants.
public struct CMError: RawRepresentable, Equatable, Sendable {
    /// The number of the code.
    public var rawValue: UInt32

    /// The code of that number.
    public init(_ rawValue: UInt32) { self.rawValue = rawValue }

    /// The code of that number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// The domain of Core Motion's errors.
public let CMErrorDomain: String = "CMErrorDomain"

// Global constants, as Swift sees them on Apple's platforms.

/// No error. 100.
public let CMErrorNULL = CMError(100)

/// The device has to be moved so that its sensors can be calibrated. 101.
public let CMErrorDeviceRequiresMovement = CMError(101)

/// True north is not known, since the position is not. 102.
public let CMErrorTrueNorthNotAvailable = CMError(102)

/// Something unknown went wrong. 103.
public let CMErrorUnknown = CMError(103)

/// This device does not tell activities or steps. 104.
public let CMErrorMotionActivityNotAvailable = CMError(104)

/// The program may not use activities. 105.
public let CMErrorMotionActivityNotAuthorized = CMError(105)

/// The program has no entitlement to activities. 106.
public let CMErrorMotionActivityNotEntitled = CMError(106)

/// An argument cannot be used. 107.
public let CMErrorInvalidParameter = CMError(107)

/// What was asked for cannot be done now. 108.
public let CMErrorInvalidAction = CMError(108)

/// The sensor or service is not there, or gives nothing for now. 109.
public let CMErrorNotAvailable = CMError(109)

/// The program has no entitlement. 110.
public let CMErrorNotEntitled = CMError(110)

/// The system does not let the program use the sensor. 111.
public let CMErrorNotAuthorized = CMError(111)

/// There is no value. 112.
public let CMErrorNilData = CMError(112)

/// A size cannot be used. 113.
public let CMErrorSize = CMError(113)

extension CMError {
    /// The error that handlers get, with a sentence that says what it means.
    func error(_ explanation: String) -> NSError {
        NSError(domain: CMErrorDomain, code: Int(rawValue), userInfo: [NSLocalizedDescriptionKey: explanation])
    }

    /// The error for a failure of the device, which stays reachable as the underlying error.
    static func error(_ cause: DeviceError) -> NSError {
        let code = cause.code == .permissionDenied ? CMErrorNotAuthorized : CMErrorNotAvailable
        return NSError(
            domain: CMErrorDomain, code: Int(code.rawValue),
            userInfo: [NSUnderlyingErrorKey: cause, NSLocalizedDescriptionKey: cause.description])
    }
}

extension StreamFailure {
    /// The error that the handler gets.
    var error: NSError {
        switch self {
        case .loss(_, let cause): CMError.error(cause)
        case .requiresMovement:
            CMErrorDeviceRequiresMovement.error(
                "North is uncertain: the magnetometer is not calibrated. Turn the device about all of its axes, away "
                    + "from iron.")
        case .noTrueNorth:
            CMErrorTrueNorthNotAvailable.error(
                "True north is not known, since the position is not: ask for locations. Until there is one, attitudes "
                    + "are against magnetic north.")
        }
    }
}

/// Whether the program may use a sensor.
///
/// On Linux the file permissions of the sensor decide: it is authorized where the sensor is there and can be read.
public enum CMAuthorizationStatus: Int, Sendable {
    /// Nobody has decided; on Linux, there is no such sensor.
    case notDetermined = 0
    /// The program may not use it, and its user cannot change that.
    case restricted = 1
    /// The use was refused.
    case denied = 2
    /// The program may use it.
    case authorized = 3
}
