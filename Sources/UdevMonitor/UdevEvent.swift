// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// What a monitor tells.
public enum UdevEvent: Sendable {
    /// All devices there are, when the monitor starts: the first event, and only then.
    case snapshot([UdevRecord])
    /// A device is there, or a device that was there has other properties. Told again when somebody triggers udev.
    case added(UdevRecord)
    /// A device is gone, with what was known of it.
    case removed(UdevRecord)
    /// Devices cannot be watched, or not with everything that udev adds; what to do about it. Told once for each cause.
    case problem(DeviceError)
}
