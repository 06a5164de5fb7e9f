// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What a motion source has to say to a subscriber.
public enum MotionEvent: Sendable {
    /// Readings, never an empty batch.
    case samples(MotionBatch)
    /// The sensor gives nothing for now, and why. Sent once for each loss. Indirect, so that readings are passed on quickly.
    indirect case lost(DeviceError)
    /// The sensor is back; readings follow.
    case regained
}
