// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

extension CMError {
    /// The error that handlers get, with a sentence that says what it means.
    func error(_ explanation: String) -> NSError {
        NSError(
            domain: CMErrorDomain, code: Int(rawValue),
            userInfo: [NSLocalizedDescriptionKey: explanation])
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
