// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

extension Device {
    /// The same device, whose sessions with accessories can be recorded: what is read and written in sessions that are
    /// opened through it reaches every ``TraceRecorder`` of the device it returns.
    ///
    /// Only the sessions of this process can be recorded, and only those: the system has no place at which to listen to
    /// others.
    public func recordingAccessories() -> Device {
        if accessorySource is AccessoryTap { return self }
        return Device(
            name: name, clock: clock, configuration: configuration, positionSource: positionSource,
            motionSource: motionSource, accessorySource: AccessoryTap(accessorySource, clock: clock),
            statusSource: statusSource, calibrations: calibrations, playback: playback)
    }
}
