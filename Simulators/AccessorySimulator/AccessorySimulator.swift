// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
public import DeviceCore
import LoopbackServer
import Synchronization
public import Trace

/// Accessories that exist in software only, for programs in processes of their own.
///
/// Each protocol is a socket or a pseudo-terminal; the accessories are announced in a folder, which a program watches
/// when `DEVICE_SERVICES_ACCESSORIES` names it:
/// ```swift
/// let simulator = AccessorySimulator()
/// let folder = try simulator.start()
/// let scale = SimulatedAccessory(name: "Weigh Scale", protocol: "com.example.scale", peer: EchoPeer())
/// let id = try simulator.attach(scale)
/// // DEVICE_SERVICES_ACCESSORIES=folder program …
/// simulator.detach(id)
/// simulator.stop()
/// ```
/// One thread serves all of them, and peers run on the clock's. Its methods may be called from any thread. It stops when
/// it is released.
public final class AccessorySimulator: Sendable {
    /// Tells an attached accessory from all others of the simulator; never used again.
    public typealias ID = Int

    private let thread = ServiceThread<SimulatorState, AnnouncementFolder>()
    private let last = Mutex(0)
    private let options: AccessorySimulatorOptions
    /// What is attached at the start.
    private let accessories: [SimulatedAccessory]
    private let notes: DifferenceList
    private let player: TracePlayer?

    /// A simulator that is not yet started.
    ///
    /// - Parameters:
    ///   - accessories: what is attached when it starts.
    ///   - options: how it behaves.
    public convenience init(
        _ accessories: [SimulatedAccessory] = [], options: AccessorySimulatorOptions = AccessorySimulatorOptions()
    ) {
        self.init(accessories, options: options, notes: DifferenceList())
    }

    init(
        _ accessories: [SimulatedAccessory], options: AccessorySimulatorOptions, notes: DifferenceList,
        player: TracePlayer? = nil
    ) {
        self.accessories = accessories
        self.options = options
        self.notes = notes
        self.player = player
    }

    deinit { stop() }

    /// The folder in which accessories are announced; nil when it does not run.
    public var folder: String? { thread.current?.address.path }

    /// Where programs departed from recordings that peers play, and what of a file is not played as it stands, in words;
    /// at most ``maximumDifferences``.
    public var differences: [String] { notes.lines }

    /// The most differences that are kept.
    public static let maximumDifferences = DifferenceList.maximum

    /// Starts and answers the folder in which accessories are announced. A simulator that runs answers its folder again.
    @discardableResult
    public func start() throws(DeviceError) -> String {
        var isNew = false
        let folder = try thread.start { () throws(DeviceError) in
            isNew = true
            let state = try SimulatorState()
            return (
                state, try AnnouncementFolder(below: options.folder), SimulatorLoop(state: state, clock: LiveClock())
            )
        }
        guard isNew else { return folder.path }
        do throws(DeviceError) {
            for accessory in accessories { try attach(accessory, transport: options.transport) }
            try player?.start(self, folder: folder.path)
        } catch {
            stop()
            throw error
        }
        return folder.path
    }

    /// True when everything in the file has been played; what is no trace has nothing to play.
    public var hasPlayed: Bool { player?.hasPlayed ?? true }

    /// Waits until everything in the file has been played; false when the time is up before. Blocks the thread.
    public func waitUntilPlayed(seconds: Double) -> Bool { player?.wait(seconds: seconds) ?? true }

    /// Takes all accessories away at once and ends; returns when the thread has ended. It may be started again.
    public func stop() { thread.stop { player?.stop() }?.remove() }

    /// The accessories that are attached, by rising id.
    public var attached: [ID] { thread.current?.state.content.withLock { $0.attached.keys.sorted() } ?? [] }

    /// What went through an accessory's protocols; nil when it is gone.
    public func traffic(of id: ID) -> SimulatedTraffic? { thread.current?.state.content.withLock { $0.attached[id] } }

    /// Makes an accessory's ports and announces it. One without protocols is refused, as no program could see it.
    /// The transport is what its protocols are; nil for what the options say.
    @discardableResult
    public func attach(
        _ accessory: SimulatedAccessory, transport: SimulatedTransport? = nil
    ) throws(DeviceError) -> ID {
        guard let (state, folder) = thread.current else {
            throw DeviceError(.notFound, "The simulator does not run. Start it before accessories are attached.")
        }
        guard !accessory.endpoints.isEmpty else {
            throw DeviceError(
                .invalidConfiguration,
                "\(accessory.description.name) offers no protocol, and cannot be announced. Give it one at least.")
        }
        let id = last.withLock { last in
            last += 1
            return last
        }
        var ports: [(name: String, port: any SimulatedPort)] = []
        for (place, endpoint) in accessory.endpoints.enumerated() {
            switch transport ?? options.transport {
            case .socket: ports.append((endpoint.name, try ListeningPort(endpoint, path: folder.socket(id, place))))
            case .pseudoTerminal: ports.append((endpoint.name, try TerminalPort(endpoint, openings: state.openings)))
            }
        }
        let declared = Self.declared(accessory.description, ports: ports)
        let attached = AttachedAccessory(id: id, ports: ports, file: folder.file(id))
        // Known and served before a program can see it.
        state.content.withLock { $0.attached[id] = SimulatedTraffic() }
        state.add(.attach(Handover(attached)))
        do throws(DeviceError) {
            try folder.announce(declared, id: id)
        } catch {
            state.add(.detach(id, .atOnce, done: nil))
            throw error
        }
        state.tell()
        // Whoever stopped it in between could not remove the file.
        if state.content.withLock({ $0.isStopped }) { folder.forget(id) }
        return id
    }

    /// Takes an accessory away, and returns when it is gone. Nothing happens when it was gone before.
    public func detach(_ id: ID, _ how: SimulatedUnplug = .afterReading) {
        guard let state = thread.current?.state else { return }
        let done = Bell()
        state.add(.detach(id, how, done: done))
        done.wait(seconds: 15)
    }

    /// Has an accessory take in nothing more that programs write, or all of it again: a device that hangs.
    ///
    /// It returns when that is so. What was taken in before may still be on its way to the peer.
    public func holdInput(of id: ID, _ isHeld: Bool = true) {
        guard let state = thread.current?.state else { return }
        let done = Bell()
        state.add(.hold(id, isHeld, done: done))
        done.wait(seconds: 15)
    }

    /// Waits until the condition, on what the simulator tells of itself, holds; false when it does not in time.
    func wait(seconds: Double, until condition: () -> Bool) -> Bool {
        thread.current?.state.wait(seconds: seconds) { _ in condition() } ?? condition()
    }

    /// Attaches and takes away an accessory as often, as fast as can be.
    ///
    /// - Parameters:
    ///   - accessory: what is attached each time.
    ///   - count: how often it is attached.
    ///   - kept: how many of the last ones stay.
    ///   - transport: what its protocols are; nil for what the options say.
    /// - Returns: Those that stay.
    @discardableResult
    public func storm(
        of accessory: SimulatedAccessory, count: Int, keeping kept: Int = 0, transport: SimulatedTransport? = nil
    ) throws(DeviceError) -> [ID] {
        var stay: [ID] = []
        for round in 0..<max(count, 0) {
            let id = try attach(accessory, transport: transport)
            if round >= count - kept { stay.append(id) } else { detach(id, .atOnce) }
        }
        return stay
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
