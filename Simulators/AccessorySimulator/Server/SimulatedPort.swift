// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import SystemCalls
import Trace

/// A node that programs open, with its current session. Confined to the server's thread.
protocol SimulatedPort: AnyObject {
    var node: ChannelNode { get }
    /// The descriptor and the events to wait for, or nil if no descriptor needs to be polled.
    var pollDescriptor: pollfd? { get }
    /// The time at which the port must be served even if no event occurs.
    var deadline: BootTime { get }
    var endpoint: SimulatedAccessory.Endpoint { get }
    var programSession: ProgramSession? { get set }
    var isInputPaused: Bool { get set }
    var isClosed: Bool { get }
    /// The number of sessions so far, and the total traffic of ended sessions.
    var totals: SimulatedTraffic { get set }
    /// The time by which the program must have read the remaining bytes. nil unless the port is closing.
    var closingDeadline: BootTime? { get set }

    /// Transfers bytes and advances the session. `revents` is 0 if poll(2) has reported no event.
    func serve(revents: Int16, context: PortContext)

    func close()
}

extension SimulatedPort {
    /// Prepares to close the port. It closes when the program has read all bytes from the peer, or at the deadline.
    func beginClosing(deadline: BootTime) {
        closingDeadline = deadline
        programSession?.stopPeer()
    }

    func beginSession(_ context: PortContext) {
        totals.sessions += 1
        programSession = ProgramSession(
            endpoint, clock: context.clock, changed: context.setNeedsService, unplug: context.unplug)
    }

    /// Ends the current session. The context, if any, retains the session until the peer has received all bytes that
    /// the program has written.
    func endSession(_ context: PortContext? = nil) {
        guard let programSession else { return }
        programSession.endProgram()
        context?.retain(programSession.session)
        totals.add(programSession)
        self.programSession = nil
    }
}

struct PortContext {
    let buffer: UnsafeMutableRawBufferPointer
    let clock: LiveClock
    let now: BootTime
    /// Wakes the server's thread to serve its ports. Can be called from any thread.
    let setNeedsService: @Sendable () -> Void
    /// Detaches the port's accessory. Can be called from any thread.
    let unplug: @Sendable () -> Void
    /// Retains a session until its peer has received all bytes.
    let retain: (AccessoryPeerSession) -> Void
}

/// The traffic of a simulated accessory since it was attached.
public struct SimulatedTraffic: Sendable, Hashable {
    /// The number of sessions, including current sessions.
    public var sessions = 0
    /// The number of current sessions.
    public var openSessions = 0
    /// The number of bytes sent to programs across all protocols.
    public var bytesSent: Int64 = 0
    /// The number of bytes received from programs across all protocols.
    public var bytesReceived: Int64 = 0

    mutating func add(_ port: any SimulatedPort) {
        sessions += port.totals.sessions
        bytesSent += port.totals.bytesSent
        bytesReceived += port.totals.bytesReceived
        guard let programSession = port.programSession else { return }
        openSessions += 1
        add(programSession)
    }

    mutating func add(_ programSession: ProgramSession) {
        bytesSent += programSession.bytesSent
        bytesReceived += programSession.bytesReceived
    }
}
