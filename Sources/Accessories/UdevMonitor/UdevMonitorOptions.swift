// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// How a monitor works, beyond what it looks at.
public struct UdevMonitorOptions: Sendable {
    /// Bytes of messages that the kernel keeps while the monitor's thread is busy; nil for as many as are allowed.
    public var receiveBuffer: Int?
    /// True where udev's rules matter, as they do for names of protocols and for the permissions of nodes: when no udevd
    /// runs, that is told and logged. False where a device is used as the kernel gives it.
    public var expectsRules = true
    /// The most devices that are kept; further ones are left out, and that is told.
    public var mostDevices = 8192
    /// Seconds between looks at all devices where the system allows no messages about them, or where they may not come.
    public var scanInterval = 2.0
    /// udevd's control socket: it is there while udevd runs or is started when needed.
    package var control = "/run/udev/control"
    /// Whose messages come here.
    package var reach = MessageReach.current

    /// The values that suit boards.
    public init() {}
}
