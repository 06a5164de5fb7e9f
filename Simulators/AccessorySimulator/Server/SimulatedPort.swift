// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

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
    var conversation: Conversation? { get }
    /// True while what the program writes is left where it is.
    var isInputHeld: Bool { get set }
    /// True when the port is gone for good.
    var isClosed: Bool { get }
    /// How many sessions there were, and what went through those that are over.
    var totals: PortTotals { get }

    /// Does what there is to do.
    func serve(revents: Int16, context: PortContext)

    /// Ends the port when the program has got what the peer has sent, or when the time is up.
    func leave(until deadline: BootTime)

    /// Ends the port now.
    func close()
}

/// What went through a port.
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

/// The C functions, whose names methods hide.
func system_close(_ descriptor: Int32) { _ = close(descriptor) }
func system_read(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}
func system_write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
