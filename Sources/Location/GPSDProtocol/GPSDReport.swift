// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// One line from gpsd, decoded.
public enum GPSDReport: Sendable {
    /// TPV: a position.
    case position(PositionReport)
    /// SKY: the satellites in view.
    case sky(SkyReport)
    /// ATT: a compass or an inertial unit.
    case attitude(AttitudeReport)
    /// VERSION: the greeting of the server.
    case version(GPSDVersion)
    /// DEVICES: all receivers that the server knows of.
    case devices([ReceiverDescription])
    /// DEVICE: a receiver came, went or was identified.
    case device(ReceiverDescription)
    /// WATCH: what the server sends from now on.
    case watch(GPSDWatch)
    /// ERROR: the server refuses a request and says why.
    case error(String)
    /// A valid report of a class that is not read here.
    case other(GPSDClass)
    /// Not a report. Nothing of the line is delivered, however much of it could be read.
    case malformed(GPSDMalformedReport)
}
