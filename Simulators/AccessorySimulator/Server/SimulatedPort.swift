// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import SystemCalls
import Trace

/// What a program opens, and the session with the program that has opened it. It belongs to the server's thread.
protocol SimulatedPort: AnyObject {
    /// What is written into the accessory's file.
    var node: ChannelNode { get }
    /// What is to be waited for; nil when it is of no use to wait for the descriptor.
    var interest: pollfd? { get }
    /// When to look at it again though nothing has happened.
    var deadline: BootTime { get }
    /// The session that goes on; nil when nobody has opened it.
    var conversation: Conversation? { get set }
    /// True while what the program writes is left where it is.
    var isInputHeld: Bool { get set }
    /// True when the port is gone for good.
    var isClosed: Bool { get }
    /// How many sessions there were, and what went through those that are over.
    var totals: PortTotals { get set }
    /// When the port ends though the program has not got all; nil until it is to leave.
    var leavesUntil: BootTime? { get set }

    func serve(revents: Int16, context: PortContext)

    func close()
}

extension SimulatedPort {
    /// Ends the port when the program has got what the peer has sent, or when the time is up.
    func leave(until deadline: BootTime) {
        leavesUntil = deadline
        conversation?.stopPeer()
    }

    /// The session is over; with a context its peer still hears all.
    func endSession(_ context: PortContext? = nil) {
        guard let conversation else { return }
        conversation.endProgram()
        context?.keep(conversation.session)
        totals.bytesSent += conversation.bytesSent
        totals.bytesReceived += conversation.bytesReceived
        self.conversation = nil
    }
}

struct PortTotals {
    var sessions = 0
    var bytesSent: Int64 = 0
    var bytesReceived: Int64 = 0
}

/// What the server lends to its ports.
struct PortContext {
    let buffer: UnsafeMutableRawBufferPointer
    let clock: LiveClock
    let now: BootTime
    /// Has the server look at its ports again; from any thread.
    let changed: @Sendable () -> Void
    /// Unplugs the accessory that the port belongs to; from any thread.
    let unplug: @Sendable () -> Void
    /// Keeps the session until its peer has heard all.
    let keep: (AccessoryPeerSession) -> Void
}

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
