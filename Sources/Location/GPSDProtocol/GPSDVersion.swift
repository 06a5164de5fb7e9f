// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The greeting of a gpsd server (VERSION). Text that was not given is empty, a number that was not given is -1.
public struct GPSDVersion: Sendable, Hashable {
    /// The release of the server, for example "3.22".
    public var release = ""
    /// Its revision in version control.
    public var revision = ""
    /// Protocol version, before the point.
    public var protocolMajor: Int32 = -1
    /// Protocol version, behind the point.
    public var protocolMinor: Int32 = -1
    /// The server that this one relays, if it does.
    public var remote = ""

    /// A server of which nothing is known yet.
    public init() {}
}
