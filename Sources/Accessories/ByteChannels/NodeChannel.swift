// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// A byte channel through a device node or socket: a serial port, the reports of a HID device, a Unix socket or USB
/// bulk endpoints.
///
/// All channels of a process share one reactor thread, which sleeps while no channel has events. Releasing the last
/// reference closes the channel.
package final class NodeChannel: PollableChannel {
    private let core: ChannelCore

    /// Creates a channel and adds it to the reactor. On failure, the port is released.
    ///
    /// - Parameters:
    ///   - port: The open port. The channel releases it.
    ///   - clock: The clock for deadlines.
    ///   - capacity: The size of the buffer in each direction, in bytes; at least four reports if the port has reports.
    ///   - lateness: The maximum delay, in seconds, of an executor that reads the port. Limited to a third of the
    ///     port's input patience.
    ///   - reactor: The reactor that serves the channel.
    package init(
        _ port: any Port, clock: any DeviceClock, capacity: Int = 65_536, lateness: Double = 0.1,
        reactor: ChannelReactor = .shared
    ) throws(DeviceError) {
        core = ChannelCore(port, clock: clock, capacity: capacity, lateness: lateness, reactor: reactor)
        do {
            try core.start()
        } catch {
            port.release(timeout: 0) { true }
            throw error
        }
    }

    deinit {
        core.close()
    }

    /// Reads received bytes.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> ByteChannelRead { core.read(into: buffer) }

    /// Writes bytes: immediately if the kernel accepts them, otherwise in the background.
    package func write(_ bytes: UnsafeRawBufferPointer) -> ByteChannelWrite { core.write(bytes) }

    /// The number of received bytes, the number of bytes that can be written without waiting, and the end of the
    /// connection.
    package var status: ByteChannelStatus { core.status }

    /// Sets the observer. It is called on the reactor thread, on the executor that reads the port, or on the thread
    /// that calls `read`. It must return quickly and must not read.
    package func observe(_ receive: (@Sendable (ByteChannelEvent) -> Void)?) { core.observe(receive) }

    /// Sets the executor that reads from a serial port or socket when it can; nil selects the reactor thread.
    package func setExecutor(_ place: DirectPlace?) { core.setExecutor(place) }

    /// Reads the bytes that the executor would find in its next poll.
    package func readPendingInput() { _ = core.readPendingInput() }

    /// Closes the connection from this side. Bytes written before are still sent, for at most two seconds.
    package func close() { core.close() }

    /// Ends the connection for an external reason, for example because the accessory was unplugged. Only the first end
    /// has an effect, whether it is this one or the kernel's.
    package func end(_ end: ByteChannelEnd) { core.end(end) }

    /// Ends the connection for an external reason and calls the closure afterwards.
    ///
    /// The closure is called once the observer has been notified of the end. If more bytes have been received than the
    /// buffer has space for, the closure is called immediately and the observer is notified after the app has read
    /// them. The closure runs on the reactor thread, or on the calling thread if the connection has already ended.
    package func end(_ end: ByteChannelEnd, then body: @escaping @Sendable () -> Void) { core.end(end, then: body) }

    /// A closure that makes a closed channel stop sending and release its port as soon as the system allows. It does
    /// nothing while the channel is in use, and retains neither the channel nor the port.
    package var abandon: @Sendable () -> Void {
        { [weak core] in core?.abandon() }
    }

    /// True on the reactor thread, which must not wait for a channel.
    package static var isOnReactorThread: Bool { ChannelReactor.shared.isCurrent }

    /// Calls the closure once the port is free for this or another program; immediately if it already is.
    package func whenReleased(_ body: @escaping @Sendable () -> Void) { core.whenReleased(body) }
}
