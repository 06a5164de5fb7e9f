// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

extension Stop.Reason {
    /// The exit status that a reason leads to; what has to be said about it is said here.
    func status(isComplete: Bool, shortfall: String) -> ExitStatus {
        switch self {
        case .signal, .complete, .outputClosed: return .success
        case .timeIsUp:
            if !isComplete { Notes.warn(shortfall) }
            return isComplete ? .success : .unavailable
        case .denied: return .noPermission
        case .failed(let error, let status):
            Notes.fail(error.description)
            return status
        }
    }
}
