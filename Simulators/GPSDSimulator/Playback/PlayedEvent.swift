// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol

/// Something of a trace that a simulated gpsd plays.
struct PlayedEvent {
    enum Contents {
        /// A line of gpsd, as it stands in the trace and decoded.
        case report([UInt8], GPSDReport)
        /// A line that is not JSON: what a receiver sent, without its line end.
        case text([UInt8])
        /// gpsd could not be reached any more.
        case lost
        /// gpsd was back.
        case regained
    }

    /// Nanoseconds since the beginning of playback at speed 1, all rounds counted.
    var time: Int64
    /// By how many nanoseconds the times in reports have to be moved because the trace is played again.
    var shift: Int64
    var contents: Contents
}
