// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import MotionEngine

/// Groups device motions, in the frame that needs no magnetometer, into arrays of a second.
struct SecondOfMotions: ReadingShaper {
    private var collector = SecondCollector<DeviceMotionReading>(rate: Batches.deviceMotionRate)

    /// What batches of device motion come from. Readings may wait in the kernel until there is a second of them.
    static func plan(_ device: Device) -> StreamPlan<SecondOfMotions> {
        StreamPlan(source: .attitude(of: device, withNorth: false, latency: Batches.length)) { SecondOfMotions() }
    }

    mutating func take(_ states: [FusedState], into mailbox: inout Mailbox<[DeviceMotionReading]>) {
        for state in states where state.usesGyroscope {
            guard let values = MotionConversion.deviceMotion(state, in: .standard) else { continue }
            let motion = DeviceMotionReading(values: values, time: state.time)
            if let motions = collector.take(motion, at: motion.time) { mailbox.add(motions) }
        }
    }
}
