// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import IIOFormat
import LoopbackServer
import Synchronization

/// A simulated iiod that serves devices to libiio clients over TCP on the loopback interface.
///
/// The server uses the text protocol of iiod 0.24, which the libiio versions 0.21 to 1.0 support. One thread serves all
/// connections. Each client receives the channels that it requested, at its own rate.
/// ```swift
/// let server = IIODServer(
///     context: SimulatedIIOContext(context),
///     samples: IIORestSource([.accelerometer: [0, 0, 9.80665]]))
/// let port = try server.start()
/// // iio_readdev -u ip:127.0.0.1:PORT …
/// server.stop()
/// ```
/// All methods can be called from any thread. Releasing the server stops it.
public final class IIODServer: Sendable {
    private let shared: SharedIIODState
    private let options: IIODServerOptions
    private let thread = ServiceThread<IIODRun, UInt16>()

    /// Creates a server for the devices in the context. Call ``start()`` to start it.
    public init(
        context: SimulatedIIOContext, samples: some IIOSampleSource = IIORestSource(),
        options: IIODServerOptions = IIODServerOptions()
    ) {
        self.options = options
        let signals = context.context.devices.map { samples.signals(for: $0) }
        shared = SharedIIODState(IIODState(context: context, signals: signals, options: options, readClock: { $0.now }))
    }

    /// The TCP port on which the server listens, or nil if the server is not running.
    public var port: UInt16? { thread.current?.address }
    package var connectionCount: Int { shared.state.withLock { $0.connectionCount } }
    package var samplesSent: Int64 { shared.state.withLock { $0.iiodState.samplesSent } }

    /// Starts the server on 127.0.0.1 and returns its port. If the server is already running, returns its current port.
    ///
    /// - Throws: An error with the code `busy` if the port is in use, and with `busy` or `unreachable` if the process
    ///   has no free descriptor. The code is `invalidConfiguration` if a fault names an unknown device.
    @discardableResult public func start() throws(DeviceError) -> UInt16 {
        try thread.start { () throws(DeviceError) in
            try shared.state.withLock { $0.iiodState.context }.check(options.faults)
            // The send buffer is large enough for a typical chunk to be sent in one call.
            let listener = try LoopbackListener(port: options.port, for: "The simulated iiod", sendBufferSize: 262_144)
            let serverRun = try IIODRun(for: "the simulated iiod")
            options.sharedStart?.onStart { serverRun.wakeUp.signal() }
            return (
                serverRun, listener.port,
                IIODServerLoop(
                    serverRun, shared: shared, listener: listener, maximumConnections: options.maximumConnections)
            )
        }
    }

    /// Closes all connections, stops listening and waits for the thread to end. The server can be started again.
    public func stop() { thread.stop() }

    /// Injects a fault, which takes effect at its scheduled time or sample.
    public func inject(_ fault: IIODFault) {
        shared.state.withLock { state in
            state.iiodState.add(fault)
            state.revision += 1
        }
        thread.current?.state.wakeUp.signal()
    }

    /// Returns the current value of an attribute, or nil if the attribute does not exist.
    ///
    /// A key has a form such as `device/attribute`, `device/buffer/attribute` or `device/input/channel/attribute`,
    /// where `device` is the device's id.
    public func value(for key: String) -> String? {
        shared.state.withLock { $0.iiodState.context.context.value(for: key) }
    }

    /// Sets the value of an attribute without the checks that apply to clients. Returns false if the attribute does not
    /// exist.
    @discardableResult public func setValue(_ value: String, for key: String) -> Bool {
        shared.state.withLock { $0.iiodState.context.context.setValue(value, for: key) }
    }
}

/// The state of one run of the server, from `start()` to `stop()`. Each run has its own state, so that calling
/// `start()` during `stop()` does not undo the stop.
typealias IIODRun = SharedServerState<IIODRunContent>

struct IIODRunContent: SharedServerContent { var isStopped = false }

/// The state of the server, protected by a lock. The server's thread advances the state, and other threads access it.
final class SharedIIODState: Sendable {
    struct State {
        var iiodState: IIODState
        var connectionCount = 0
        /// The number of changes that other threads have made. After a change, the server's thread serves all
        /// connections again.
        var revision = 0
    }

    let state: Mutex<State>

    init(_ iiodState: IIODState) { state = Mutex(State(iiodState: iiodState)) }
}
