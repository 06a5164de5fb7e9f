// SPDX-License-Identifier: Apache-2.0

package import LoopbackServer

/// How simulated accessories behave.
public struct AccessorySimulatorOptions: Sendable {
    /// What protocols are, where nothing else is said.
    public var transport = SimulatedTransport.socket
    /// The folder in which the simulator makes its own; nil for TMPDIR, else /tmp. A short path: the sockets lie there.
    public var folder: String?

    /// How many times as fast the accessories of a trace come and go.
    public var speed = 1.0
    /// True when a trace begins again at its end.
    public var repeats = false
    /// An accessory of a trace waits so long, in seconds, for a program that does not go on with a recorded dialogue.
    public var patience = 10.0
    /// The beginning that a trace shares with other servers: with it the trace is played from there on, or from when a
    /// program looks into the folder, and no accessory has the others wait. Nil to begin at the start.
    package var common: CommonStart?
    /// With a common beginning a round takes so many nanoseconds.
    package var roundLength: Int64 = 0

    /// Sockets, in a temporary folder; traces once and in real time.
    public init() {}
}

/// What a program opens to talk to a simulated accessory.
public enum SimulatedTransport: Sendable, Hashable {
    /// A Unix stream socket. One program at a time, as with hardware: while one is connected, `connect` of a second fails
    /// with EAGAIN when it does not block.
    case socket
    /// A pseudo-terminal, which looks like a serial port. The peer begins to talk when the program has flushed it, as
    /// programs do last when they open one, or a little later.
    case pseudoTerminal
}

/// How a simulated accessory goes.
public enum SimulatedUnplug: Sendable, Hashable {
    /// It hangs up when the program has got everything that the peer had sent, at most ten seconds later, and is
    /// announced as gone after that.
    case afterReading
    /// It is announced as gone and hangs up at once. What is under way is lost: on a pseudo-terminal even what the
    /// program could have read.
    case atOnce
}
