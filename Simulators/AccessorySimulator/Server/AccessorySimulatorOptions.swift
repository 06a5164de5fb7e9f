// SPDX-License-Identifier: Apache-2.0

package import LoopbackServer

/// The configuration of an accessory simulator.
public struct AccessorySimulatorOptions: Sendable {
    /// The default transport for protocols.
    public var transport = SimulatedTransport.socket
    /// The directory in which the simulator creates its own directory. If nil, TMPDIR or /tmp is used. Use a short
    /// path, because the directory contains Unix domain sockets.
    public var folder: String?

    /// The speed, relative to the recording, at which the accessories of a trace are attached and detached.
    public var speed = 1.0
    /// True if a trace restarts when it ends.
    public var repeats = false
    /// The maximum time that an accessory in a trace waits for an inactive program to continue a recorded dialogue.
    public var dialogueTimeout = Duration.seconds(10)
    /// The start time of playback, shared with other servers. If nil, the trace starts when the simulator starts. If
    /// the time has not been set when a program opens the announcement directory, it is set to that moment. With a
    /// shared start, a dialogue that takes too long does not delay later events.
    package var sharedStart: SharedPlaybackStart?
    /// The duration of one pass of the trace, in nanoseconds. Used only with a shared start.
    package var passDuration: Int64 = 0

    /// Creates options with default values: sockets in a temporary directory, and traces that are played once in real
    /// time.
    public init() {}
}

/// The type of node that programs open to communicate with a simulated accessory.
public enum SimulatedTransport: Sendable, Hashable {
    /// A Unix domain stream socket. Like hardware, it serves one program at a time. While a program is connected, a
    /// non-blocking `connect` by a second program fails with EAGAIN.
    case socket
    /// A pseudo-terminal, which looks like a serial port. Programs flush a serial port as the last step of opening it,
    /// so the peer begins to send after the flush. If the program does not flush the terminal, the peer begins shortly
    /// after the program has opened it.
    case pseudoTerminal
}

/// The ways to detach a simulated accessory.
public enum DetachMode: Sendable, Hashable {
    /// The ports hang up once the program has read everything that the peer sent, but no later than 10 s after the
    /// request. The announcement is removed afterwards.
    case afterReading
    /// The announcement is removed and the ports hang up immediately. Pending bytes are lost. On a pseudo-terminal,
    /// this includes all bytes that the program has not yet read.
    case immediately
}
