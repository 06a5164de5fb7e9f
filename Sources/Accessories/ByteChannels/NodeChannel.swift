// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// A channel through a node of the kernel's: a serial port, reports of a HID device, a socket, bulk endpoints.
///
/// All channels of a process share one thread, which sleeps while nothing happens. Dropping the last reference closes it.
package final class NodeChannel: LendableChannel {
    private let core: ChannelCore

    /// - Parameter lateness: Seconds that a place that reads may be late, at most; less where the port has less patience.
    package init(
        _ port: any Port, clock: any DeviceClock, capacity: Int = 65_536, lateness: Double = 0.1,
        reactor: ChannelReactor = .shared
    ) throws(DeviceError) {
        core = ChannelCore(port, clock: clock, capacity: capacity, lateness: lateness, reactor: reactor)
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
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> ByteChannelRead { core.read(into: buffer) }

    /// Hands over bytes to be sent: at once where the kernel takes them, else in the background.
    package func write(_ bytes: UnsafeRawBufferPointer) -> ByteChannelWrite { core.write(bytes) }

    /// How many bytes have come in, how many can be written without waiting, and how the connection ended.
    package var status: ByteChannelStatus { core.status }

    /// Has the closure told of what changes: on the thread of all channels, of the place that reads, or of who reads. It
    /// should be quick, and not read itself.
    package func observe(_ receive: (@Sendable (ByteChannelEvent) -> Void)?) { core.observe(receive) }

    /// Has that place read from a serial port or a socket, when it can.
    package func deliver(in place: DirectPlace?) { core.deliver(in: place) }

    package func takeIn() { _ = core.takeIn() }

    /// Ends the connection from this side. What was written is still sent, for at most two seconds.
    package func close() { core.close() }

    /// Ends the connection from outside, as when the accessory is known to be unplugged. The first end counts, be it
    /// this one or the kernel's.
    package func end(_ end: ByteChannelEnd) { core.end(end) }

    /// Ends the connection from outside, and calls the closure once that is done.
    ///
    /// It is done when the observer has been told of the end, or when more has come in than there is space for: the end
    /// is then told when the app has read that. The closure is called on the thread of all channels, and at once on this
    /// thread when the connection is over already.
    package func end(_ end: ByteChannelEnd, then body: @escaping @Sendable () -> Void) { core.end(end, then: body) }

    /// Has a channel that was closed send no more of what was written, but give the port back as soon as the system
    /// allows that; does nothing while the channel is in use. Keeps neither the channel nor the port.
    package var giveUp: @Sendable () -> Void {
        { [weak core] in core?.giveUp() }
    }

    /// True on the thread of all channels, where nobody may wait for one of them.
    package static var isOnThreadOfChannels: Bool { ChannelReactor.shared.isCurrent }

    /// Calls the closure once the port is free for another program, or for this one: at once when it is.
    package func whenReleased(_ body: @escaping @Sendable () -> Void) { core.whenReleased(body) }
}
