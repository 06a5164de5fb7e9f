// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// What a monitor tells.
public enum UdevEvent: Sendable {
    /// All devices there are, when the monitor starts, and only then: the first event but for problems. Parents come
    /// before children.
    case snapshot([UdevRecord])
    /// A device is there, or something in the record of a device that was there has changed. Messages about a device
    /// that is as it was, as `udevadm trigger` makes them, are not told.
    case added(UdevRecord)
    /// A device is gone, with all that was known of it.
    case removed(UdevRecord)
    /// Devices cannot be watched, or not with everything that udev adds; what to do about it. Told once, and again only
    /// after it was solved. What is known at the start comes before the snapshot.
    case problem(DeviceError)
    /// What was told as a problem is none any more.
    case solved(DeviceError)
}
