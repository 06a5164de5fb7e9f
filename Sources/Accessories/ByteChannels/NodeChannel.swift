// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// A channel through a node of the kernel's: a serial port, reports of a HID device, a socket, bulk endpoints.
///
/// All channels of a process share one thread, which sleeps while nothing happens. Dropping the last reference closes it.
public final class NodeChannel: ByteChannel {
    private let core: ChannelCore

    package init(
        _ port: any Port, clock: any DeviceClock, capacity: Int = 65_536, reactor: ChannelReactor = .shared
    ) throws(DeviceError) {
        core = ChannelCore(port, clock: clock, capacity: capacity, reactor: reactor)
        do {
            try core.start()
        } catch {
            port.release(patience: 0) { true }
            throw error
        }
    }

    deinit {
        core.close()
    }

    /// Takes bytes that have come in.
    public func read(into buffer: UnsafeMutableRawBufferPointer) -> ByteChannelRead { core.read(into: buffer) }

    /// Hands over bytes to be sent: at once where the kernel takes them, else in the background.
    public func write(_ bytes: UnsafeRawBufferPointer) -> ByteChannelWrite { core.write(bytes) }

    /// How many bytes can be read without waiting.
    public var bytesAvailable: Int { core.bytesAvailable }

    /// How many bytes can be written without waiting.
    public var spaceAvailable: Int { core.spaceAvailable }

    /// How the connection ended; nil while it lives.
    public var end: ByteChannelEnd? { core.end }

    /// Has the closure told of what changes, on the thread of all channels: it should be quick.
    public func observe(_ receive: (@Sendable (ByteChannelEvent) -> Void)?) { core.observe(receive) }

    /// Ends the connection from this side. What was written is still sent, for at most two seconds.
    public func close() { core.close() }

    /// Ends the connection from outside, as when the accessory is known to be unplugged. The first end counts, be it
    /// this one or the kernel's.
    public func end(_ end: ByteChannelEnd) { core.end(end) }

    /// Ends the connection from outside, and calls the closure once that is done.
    ///
    /// It is done when the observer has been told of the end, or when more has come in than there is space for: the end
    /// is then told when the app has read that. The closure is called on the thread of all channels, and at once on this
    /// thread when the connection is over already.
    public func end(_ end: ByteChannelEnd, then body: @escaping @Sendable () -> Void) { core.end(end, then: body) }

    /// Has a channel that was closed send no more of what was written, but give the port back as soon as the system
    /// allows that; does nothing while the channel is in use. Keeps neither the channel nor the port.
    public var giveUp: @Sendable () -> Void {
        { [weak core] in core?.giveUp() }
    }

    /// True on the thread of all channels, where nobody may wait for one of them.
    package static var isOnThreadOfChannels: Bool { ChannelReactor.shared.isCurrent }

    /// Calls the closure once the port is free for another program, or for this one: at once when it is.
    public func whenReleased(_ body: @escaping @Sendable () -> Void) { core.whenReleased(body) }
}
