// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What programs and a simulated accessory have had to do with each other since it was attached.
public struct SimulatedTraffic: Sendable, Hashable {
    /// Sessions that have begun.
    public var sessions = 0
    /// Sessions that go on.
    public var openSessions = 0
    /// Bytes that programs have been sent, all protocols together.
    public var bytesSent: Int64 = 0
    /// Bytes that programs have sent.
    public var bytesReceived: Int64 = 0

    /// No traffic.
    public init() {}

    mutating func add(_ port: any SimulatedPort) {
        let totals = port.totals
        sessions += totals.sessions
        openSessions += port.conversation == nil ? 0 : 1
        bytesSent += totals.bytesSent + (port.conversation?.bytesSent ?? 0)
        bytesReceived += totals.bytesReceived + (port.conversation?.bytesReceived ?? 0)
    }
}
