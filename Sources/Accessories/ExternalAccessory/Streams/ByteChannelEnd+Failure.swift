// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SystemCalls

extension ByteChannelEnd {
    /// Why a stream over the connection cannot be used any more.
    var streamFailure: DeviceError {
        if let error { return error }
        let lost = unsentBytes > 0 ? " \(unsentBytes) bytes that had been written were not sent." : ""
        switch reason {
        case .detached: return DeviceError(.connectionLost, "The accessory was unplugged.\(lost)")
        case .hungUp: return DeviceError(.inputOutput, "The accessory has closed the connection.\(lost)")
        case .closed: return DeviceError(.inputOutput, "The connection was closed.\(lost)")
        case .failed: return DeviceError(.inputOutput, "Talking to the accessory failed.\(lost)")
        }
    }
}

extension DeviceError {
    /// The error of a stream: in `NSPOSIXErrorDomain`, with the system's number where there is one, the whole sentence as
    /// its description, and this error as the underlying one.
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
