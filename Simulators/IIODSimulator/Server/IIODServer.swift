// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import IIOFormat
import LoopbackServer
import Synchronization

/// A simulated iiod: serves devices to libiio's clients over TCP on the loopback interface.
///
/// It speaks the text protocol of iiod 0.24, which libiio from 0.21 to 1.0 understands. One thread serves all
/// connections; each client captures the channels that it asked for, at its own pace.
/// ```swift
/// let server = IIODServer(
///     context: SimulatedIIOContext(context),
///     samples: IIORestSource([.accelerometer: [0, 0, 9.80665]]))
/// let port = try server.start()
/// // iio_readdev -u ip:127.0.0.1:PORT …
/// server.stop()
/// ```
/// Its methods may be called from any thread. It stops when it is released.
public final class IIODServer: Sendable {
    private let shared: SharedWorld
    private let options: IIODServerOptions
    private let thread = ServiceThread<SharedWorld, UInt16>()

    /// A server of those devices, not yet started.
    public init(
        context: SimulatedIIOContext, samples: some IIOSampleSource = IIORestSource(),
        options: IIODServerOptions = IIODServerOptions()
    ) {
        self.options = options
        let signals = context.context.devices.map { samples.signals(for: $0) }
        shared = SharedWorld(IIODWorld(context: context, signals: signals, options: options, readClock: { $0.now }))
    }

    /// The port that it listens on; nil when it does not run.
    public var port: UInt16? { thread.current?.address }

    /// The number of connections.
    public var connectionCount: Int { shared.state.withLock { $0.connectionCount } }

    /// The samples that it has sent, all clients together.
    public var samplesSent: Int64 { shared.state.withLock { $0.world.samplesSent } }

    /// Starts to listen on 127.0.0.1 and answers the port. A server that runs already answers its port again.
    ///
    /// Throws `DeviceError` with the code `busy` when the port is taken or the process has no descriptor left, and
    /// `invalidConfiguration` for a fault of a device that is not there.
    @discardableResult
    public func start() throws(DeviceError) -> UInt16 {
        try thread.start { () throws(DeviceError) in
            try shared.state.withLock { $0.world.context }.check(options.faults)
            // With room for a usual chunk, so that it goes in one call.
            let listener = try LoopbackListener(port: options.port, for: "The simulated iiod", sendRoom: 262_144)
            let wakeUp = try WakeUp(for: "the simulated iiod")
            shared.state.withLock { state in
                state.isStopped = false
                state.wakeUp = wakeUp
            }
            options.common?.whenBegun { wakeUp.signal() }
            return (
                shared, listener.port,
                IIODServerLoop(
                    shared: shared, wakeUp: wakeUp, listener: listener, maximumConnections: options.maximumConnections)
            )
        }
    }

    /// Closes all connections and stops listening; returns when the thread has ended. The server may be started again.
    public func stop() { thread.stop() }

    /// Makes something go wrong: at once, or at the fault's moment.
    public func inject(_ fault: IIODFault) { change { $0.add(fault) } }

    /// The value of an attribute, as clients have written it; see ``SimulatedIIOContext/value(for:)``.
    public func value(for key: String) -> String? { shared.state.withLock { $0.world.context.value(for: key) } }

    /// Sets the value of an attribute; false when there is no such attribute.
    @discardableResult
    public func setValue(_ value: String, for key: String) -> Bool {
        shared.state.withLock { $0.world.context.setValue(value, for: key) }
    }

    private func change(_ body: (inout IIODWorld) -> Void) {
        shared.order { state in
            body(&state.world)
            state.revision += 1
        }
    }
}

/// The world, behind a lock: the server's thread works on it, other threads inject faults and read values.
final class SharedWorld: ServiceState {
    struct State {
        var world: IIODWorld
        var isStopped = false
        var connectionCount = 0
        /// Counts changes from outside, after which waiting clients may go on.
        var revision = 0
        var wakeUp: WakeUp?
    }

    let state: Mutex<State>

    init(_ world: IIODWorld) { state = Mutex(State(world: world)) }

    func stop() { order { $0.isStopped = true } }

    /// Changes it, and has the thread look.
    func order(_ body: (inout State) -> Void) {
        let wakeUp = state.withLock { state in
            body(&state)
            return state.wakeUp
        }
        wakeUp?.signal()
    }
}
