// SPDX-License-Identifier: Apache-2.0

package import AccessoryFinding
package import DeviceCore

/// A byte channel over a serial port, a HID device, a Unix socket or a pair of USB bulk endpoints.
///
/// All channels of a process share one reactor thread, which sleeps while no channel has events. Releasing the last
/// reference closes the channel.
package final class NodeChannel: PollableChannel {
    private let core: ChannelCore

    /// Creates a channel and adds it to the reactor. The channel owns the port and releases it, even if this call
    /// fails.
    ///
    /// - Parameters:
    ///   - port: The open port.
    ///   - clock: The clock for deadlines.
    ///   - capacity: The size of each direction's buffer, in bytes. If the port transfers reports, each buffer holds at
    ///     least four reports.
    ///   - tolerance: The maximum time for which an executor may leave available input unread, in seconds. Limited to a
    ///     third of the port's `inputBufferingTime`.
    ///   - reactor: The reactor that serves the channel.
    package init(
        _ port: any Port, clock: any DeviceClock, capacity: Int = 65_536, tolerance: Double = 0.1,
        reactor: ChannelReactor = .shared
    ) throws(DeviceError) {
        core = ChannelCore(port, clock: clock, capacity: capacity, tolerance: tolerance, reactor: reactor)
        do {
            try core.start()
        } catch {
            port.release(timeout: 0) { true }
            throw error
        }
    }

    deinit { core.close() }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> ByteChannelRead { core.read(into: buffer) }

    /// Writes bytes. Bytes that the kernel does not accept immediately are written in the background.
    package func write(_ bytes: UnsafeRawBufferPointer) -> ByteChannelWrite { core.write(bytes) }

    package var status: ByteChannelStatus { core.status }

    /// Sets the observer, which must return quickly and must not read. It is called on the reactor thread, on the
    /// thread that writes reports, on the executor that reads the port, or on the thread that calls `read`.
    package func observe(_ receive: (@Sendable (ByteChannelEvent) -> Void)?) { core.observe(receive) }

    /// Sets the executor that reads from a serial port or socket when possible. Without one, the reactor thread reads.
    package func setExecutor(_ executor: ExecutorIdentity?) { core.setExecutor(executor) }

    package func readPendingInput() { _ = core.readPendingInput() }

    /// Closes the connection from this side. Bytes that have already been written are still sent, for at most 2 s.
    package func close() { core.close() }

    /// Ends the connection for an external reason, such as an unplugged accessory. Does nothing if the connection has
    /// already ended.
    package func end(_ end: ByteChannelEnd) { core.end(end) }

    /// Ends the connection for an external reason, and then calls the closure.
    ///
    /// Normally, the closure is called after the observer has been notified of the end. However, if unread bytes fill
    /// the buffer, the closure is called first, and the observer is notified after the app has read the bytes. The
    /// closure runs on the reactor thread, or on the calling thread if the connection has already ended.
    package func end(_ end: ByteChannelEnd, then body: @escaping @Sendable () -> Void) { core.end(end, then: body) }

    /// A closure for use after `close()`. It discards the unsent output, so that the port is released as soon as
    /// possible. It does nothing while the channel is open, and retains neither the channel nor the port.
    package var abandon: @Sendable () -> Void { { [weak core] in core?.abandon() } }

    /// True on the reactor thread, which must not wait for a channel.
    package static var isOnReactorThread: Bool { ChannelReactor.shared.isCurrent }

    /// Calls the closure as soon as other programs can open the port. If the port is already free, calls it
    /// immediately.
    package func whenReleased(_ body: @escaping @Sendable () -> Void) { core.whenReleased(body) }
}

package enum ChannelOpener {
    /// Opens a node for exclusive use. Error messages contain the reason and a remedy.
    ///
    /// Retries if the node is in use, because another program may be probing a new port. Also retries if permission is
    /// denied, because udev may not have set the permissions yet.
    ///
    /// - Parameter retryDelays: The delays between attempts, in seconds.
    package static func open(
        _ node: ChannelNode, clock: any DeviceClock, retryDelays: [Double] = [0.01, 0.02, 0.03, 0.04]
    ) throws(DeviceError) -> NodeChannel {
        let port = try retrying(retryDelays: retryDelays, clock: LiveClock()) { () throws(NodeFailure) -> any Port in
            try Self.port(node)
        }
        return try NodeChannel(port, clock: clock)
    }

    /// Repeats the attempt if it fails for a temporary reason. Only the last failure produces an error message, because
    /// finding the process that has the node open takes much longer than an attempt.
    ///
    /// - Parameters:
    ///   - retryDelays: The delays between attempts, in seconds. No attempt begins after their sum has elapsed.
    ///   - clock: The clock that measures the delays.
    package static func retrying<Value>(
        retryDelays: [Double], clock: any DeviceClock, _ attempt: () throws(NodeFailure) -> Value
    ) throws(DeviceError) -> Value {
        let deadline = clock.now.advanced(bySeconds: retryDelays.reduce(0, +))
        var retryDelays = retryDelays[...]
        while true {
            do throws(NodeFailure) {
                return try attempt()
            } catch {
                guard error.isTemporary, let retryDelay = retryDelays.popFirst(),
                    clock.now.advanced(bySeconds: retryDelay) <= deadline
                else { throw error.deviceError }
                WorkerThread.sleep(seconds: retryDelay)
            }
        }
    }

    private static func port(_ node: ChannelNode) throws(NodeFailure) -> any Port {
        guard !node.path.isEmpty else { throw NodeFailure(.invalidConfiguration, "The path of a node is empty.") }
        return switch node {
        case .tty(let path, let settings): try TTYPort.attempt(path, settings)
        case .hidraw(let path, let framing): try HIDPort.attempt(path, framing)
        case .socket(let path): try SocketPort.attempt(path)
        case .usb(let endpoints): try USBPort.attempt(endpoints, kernel: LiveUSBKernel())
        }
    }
}
