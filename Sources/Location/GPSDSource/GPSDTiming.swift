// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The times by which the client judges gpsd, in seconds.
public struct GPSDTiming: Sendable {
    /// How long one address may take to connect.
    public var connect = 5.0
    /// The pause before the first new attempt to connect; it doubles with each failure...
    public var firstRetry = 0.25
    /// ...up to this one.
    public var lastRetry = 10.0
    /// Without a position report for this long, the position counts as lost.
    public var silence = 10.0
    /// While the receiver is silent, gpsd is asked this often whether it is still there.
    public var probeInterval = 30.0
    /// gpsd has to answer within this time, or the connection counts as dead.
    public var answer = 5.0
    /// After a standstill of this long, as when the process was stopped, what piled up meanwhile is dropped but for the
    /// newest epoch.
    public var standstill = 2.0

    /// The times that suit boards.
    public init() {}
}
