// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

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
