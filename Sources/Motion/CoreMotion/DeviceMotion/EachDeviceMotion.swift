// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import MotionEngine
import SensorFusion

/// Each state of the motion engine is told by itself, in one frame of reference.
///
/// In a frame that takes a magnetometer nothing is told before north is known. Attitudes against true north are told
/// against magnetic north while the declination is not known, without a heading and after an error that says so.
struct EachDeviceMotion: ReadingShaper {
    let frame: CMAttitudeReferenceFrame
    /// The first north offset, from which the corrected frame goes on.
    private var start: Double?
    private var hasAskedForMovement = false
    private var hasMissedTrueNorth = false

    init(frame: CMAttitudeReferenceFrame) {
        self.frame = frame
    }

    mutating func take(_ states: [FusedState], into mailbox: inout Mailbox<DeviceMotionReading>) {
        // What the accelerometer says alone, while the gyroscope is lost, follows movements too late.
        for state in states where state.usesGyroscope {
            tellWhatIsMissing(state, mailbox: &mailbox)
            if start == nil { start = state.northOffset }
            let values = MotionConversion.deviceMotion(state, in: frame, correctedFrom: start ?? 0)
            if let values { mailbox.add(DeviceMotionReading(values: values, time: state.time)) }
        }
    }

    private mutating func tellWhatIsMissing(_ state: FusedState, mailbox: inout Mailbox<DeviceMotionReading>) {
        guard !frame.isDisjoint(with: .north) else { return }
        if !hasAskedForMovement, state.northOffset == nil || state.magneticQuality == .uncalibrated {
            hasAskedForMovement = true
            mailbox.add(.requiresMovement)
        }
        guard frame == .xTrueNorthZVertical, state.northOffset != nil else { return }
        let isMissing = state.declination == nil
        if isMissing, !hasMissedTrueNorth { mailbox.add(.noTrueNorth) }
        hasMissedTrueNorth = isMissing
    }
}
