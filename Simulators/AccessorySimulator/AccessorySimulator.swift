// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
public import DeviceCore
import LoopbackServer
import Synchronization
public import Trace

/// Simulated accessories for programs in other processes.
///
/// Each protocol is served on a socket or a pseudo-terminal. Accessories are announced in a directory. A program
/// watches the directory if `DEVICE_SERVICES_ACCESSORIES` contains the directory's path. For example:
/// ```swift
/// let simulator = AccessorySimulator()
/// let folder = try simulator.start()
/// let scale = SimulatedAccessory(name: "Weigh Scale", protocol: "com.example.scale", peer: EchoPeer())
/// let id = try simulator.attach(scale)
/// // DEVICE_SERVICES_ACCESSORIES=folder program …
/// simulator.detach(id)
/// simulator.stop()
/// ```
/// One thread serves all accessories. Peers run on the clock's thread. All methods can be called from any thread.
/// Releasing the simulator stops it.
public final class AccessorySimulator: Sendable {
    /// The identifier of an attached accessory. Identifiers are unique within the simulator and never reused.
    public typealias ID = Int

    private let thread = ServiceThread<SimulatorState, AnnouncementDirectory>()
    private let lastID = Atomic(0)
    private let options: AccessorySimulatorOptions
    private let accessories: [SimulatedAccessory]
    private let differenceList: DifferenceList
    /// The accessories in the trace to play, or nil if the simulator does not play a trace.
    private let timeline: AccessoryTimeline?
    /// The player for the current or most recent run. Each run has its own player, because a stopped player's thread
    /// may still be running.
    private let player = Mutex<AccessoryTracePlayer?>(nil)

    /// Creates a simulator that attaches the accessories when it starts. Call ``start()`` to start it.
    public convenience init(
        _ accessories: [SimulatedAccessory] = [], options: AccessorySimulatorOptions = AccessorySimulatorOptions()
    ) { self.init(accessories, options: options, differenceList: DifferenceList()) }

    init(
        _ accessories: [SimulatedAccessory], options: AccessorySimulatorOptions, differenceList: DifferenceList,
        timeline: AccessoryTimeline? = nil
    ) {
        (self.accessories, self.options) = (accessories, options)
        (self.differenceList, self.timeline) = (differenceList, timeline)
    }

    deinit { stop() }

    /// The directory in which accessories are announced, or nil if the simulator is not running.
    public var folder: String? { thread.current?.address.path }
    /// Descriptions of deviations from the recording, such as unexpected bytes from a program or a part of the file
    /// that was not played as recorded. Only the first 100 descriptions are stored.
    public var differences: [String] { differenceList.lines }

    /// Starts the simulator and returns the directory in which accessories are announced. If the simulator is already
    /// running, returns its current directory.
    @discardableResult public func start() throws(DeviceError) -> String {
        var isNew = false
        let folder = try thread.start { () throws(DeviceError) in
            isNew = true
            let state = try SimulatorState()
            return (state, try AnnouncementDirectory(below: options.folder), SimulatorLoop(state: state))
        }
        guard isNew else { return folder.path }
        do throws(DeviceError) {
            for accessory in accessories { try attach(accessory, transport: options.transport) }
            if let timeline {
                let player = AccessoryTracePlayer(timeline, options: options, differenceList: differenceList)
                self.player.withLock { $0 = player }
                // Another thread may have stopped the simulator before the player was stored.
                if thread.current?.address.path != folder.path { player.stop() }
                try player.start(self, folder: folder.path)
            }
        } catch {
            stop()
            throw error
        }
        return folder.path
    }

    /// True if the trace has been played to the end. Always true if the simulator does not play a trace.
    public var hasPlayed: Bool { player.withLock { $0 }?.hasPlayed ?? (timeline == nil) }

    /// Blocks the calling thread until the trace has been played to the end. Returns false on timeout.
    package func waitUntilPlayed(seconds: Double) -> Bool {
        player.withLock { $0 }?.wait(seconds: seconds) ?? (timeline == nil)
    }

    /// Detaches all accessories immediately and waits for the simulator's thread to end. The simulator can be started
    /// again.
    public func stop() { thread.stop { player.withLock { $0 }?.stop() }?.remove() }

    /// The identifiers of the attached accessories, in ascending order.
    public var attached: [ID] { thread.current?.state.content.withLock { $0.attached.keys.sorted() } ?? [] }

    /// Returns an accessory's traffic, or nil if the accessory is not attached.
    public func traffic(of id: ID) -> SimulatedTraffic? { thread.current?.state.content.withLock { $0.attached[id] } }

    /// Creates the ports of an accessory, announces it and returns its identifier.
    ///
    /// - Parameters:
    ///   - accessory: The accessory to attach.
    ///   - transport: The transport for all protocols, or nil to use the transport in the options.
    /// - Throws: An error if the accessory has no protocols, or if the simulator is not running.
    @discardableResult public func attach(
        _ accessory: SimulatedAccessory, transport: SimulatedTransport? = nil
    ) throws(DeviceError) -> ID {
        guard let (state, folder) = thread.current else {
            throw DeviceError(.notFound, "The simulator is not running. Start it before you attach accessories.")
        }
        guard !accessory.endpoints.isEmpty else {
            throw DeviceError(
                .invalidConfiguration,
                "\(accessory.description.name) offers no protocol and cannot be announced. Add at least one protocol.")
        }
        let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
        var ports: [(name: String, port: any SimulatedPort)] = []
        for (endpointIndex, endpoint) in accessory.endpoints.enumerated() {
            switch transport ?? options.transport {
            case .socket:
                ports.append((endpoint.name, try ListeningPort(endpoint, path: folder.socket(id, endpointIndex))))
            case .pseudoTerminal: ports.append((endpoint.name, try TerminalPort(endpoint, openings: state.openings)))
            }
        }
        let declared = Self.declared(accessory.description, ports: ports)
        let attached = AttachedAccessory(id: id, ports: ports, announcementPath: folder.file(id))
        // The accessory is passed to the server before it is announced, so that programs can open it immediately.
        state.content.withLock { $0.attached[id] = SimulatedTraffic() }
        state.add(.attach(TransferBox(attached)))
        do throws(DeviceError) {
            try folder.announce(declared, id: id)
        } catch {
            state.add(.detach(id, .immediately, done: nil))
            throw error
        }
        state.notifyWaiters()
        // If the simulator was stopped during this call, the announcement may still exist, so it is removed here.
        if state.content.withLock({ $0.isStopped }) { folder.removeAnnouncement(id) }
        return id
    }

    /// Detaches an accessory, waiting up to 15 s for this to complete. Ignores unknown identifiers.
    public func detach(_ id: ID, _ mode: DetachMode = .afterReading) { perform { .detach(id, mode, done: $0) } }

    /// Pauses or resumes reading from programs, to simulate a device that hangs.
    package func setInputPaused(of id: ID, _ isPaused: Bool = true) {
        perform { .setInputPaused(id, isPaused, done: $0) }
    }

    /// Executes a command on the server's thread. Waits at most 15 s, which is longer than
    /// `SimulatorLoop.closingTimeout`.
    private func perform(_ command: (BinarySemaphore) -> SimulatorCommand) {
        guard let state = thread.current?.state else { return }
        let done = BinarySemaphore()
        state.add(command(done))
        done.wait(seconds: 15)
    }

    /// Waits until the condition is true. Returns false on timeout. The condition is evaluated whenever the simulator's
    /// state changes.
    func wait(seconds: Double, until condition: () -> Bool) -> Bool {
        thread.current?.state.wait(seconds: seconds) { _ in condition() } ?? condition()
    }

    private static func declared(
        _ description: AccessoryDescription, ports: [(name: String, port: any SimulatedPort)]
    ) -> DeclaredAccessory {
        var declared = DeclaredAccessory(
            name: description.name, portPath: description.portPath.isEmpty ? nil : description.portPath,
            endpoints: ports.map { DeclaredAccessory.Endpoint(name: $0.name, node: $0.port.node) })
        declared.manufacturer = description.manufacturer
        declared.modelNumber = description.modelNumber
        declared.serialNumber = description.serialNumber
        declared.firmwareRevision = description.firmwareRevision
        declared.hardwareRevision = description.hardwareRevision
        return declared
    }
}
