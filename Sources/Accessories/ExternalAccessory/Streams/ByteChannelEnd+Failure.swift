// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SystemCalls

extension ByteChannelEnd {
    /// The error that makes a stream of this connection unusable.
    var streamFailure: DeviceError {
        if let error { return error }
        let lost = unsentBytes > 0 ? " \(unsentBytes) written bytes were not sent." : ""
        switch reason {
        case .detached: return DeviceError(.connectionLost, "The accessory was unplugged.\(lost)")
        case .hungUp: return DeviceError(.inputOutput, "The accessory closed the connection.\(lost)")
        case .closed: return DeviceError(.inputOutput, "The connection was closed.\(lost)")
        case .failed: return DeviceError(.inputOutput, "The transfer to or from the accessory failed.\(lost)")
        }
    }
}

extension DeviceError {
    /// The error as reported by a stream: an `NSError` in `NSPOSIXErrorDomain`. Its code is the system's error number
    /// if there is one, its description is that of this error, and its underlying error is this error.
    var streamError: NSError {
        NSError(
            domain: NSPOSIXErrorDomain, code: Int(posixNumber),
            userInfo: [NSLocalizedDescriptionKey: description, NSUnderlyingErrorKey: self])
    }

    private var posixNumber: Int32 {
        if case .system(_, let number) = cause, number > 0 { return number }
        return switch code {
        case .connectionLost: ENODEV
        case .permissionDenied: EACCES
        case .busy: EBUSY
        case .notFound: ENOENT
        case .notSupported: EOPNOTSUPP
        default: EIO
        }
    }
}
