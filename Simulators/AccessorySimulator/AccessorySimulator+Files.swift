// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
public import DeviceCore
import Synchronization
public import Trace
public import UmockdevFormat

extension AccessorySimulator {
    /// A simulator of the accessories of a file, not yet started.
    ///
    /// - `NAME.umockdev`: a description of devices, whose accessories are found by the rules that hold for live ones.
    ///   With a dialogue in `NAME.script` beside it, the protocol plays that whose node the script names, else the first.
    /// - `NAME.json`: an accessory as a folder or a configuration declares it; its nodes do not count.
    /// - Anything else is a trace: accessories come and go at their times, and each session with a program is a dialogue
    ///   that was recorded, in their order. What a program read is sent as long after the step before as it was then, and
    ///   not before the program has written what had been written before. An accessory stays until the dialogues up to
    ///   there are over, unless the program does nothing for ``AccessorySimulatorOptions/patience``.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - options: how the simulator behaves.
    ///   - peer: who speaks a protocol for which the file has no dialogue.
    public convenience init(
        file path: String, options: AccessorySimulatorOptions = AccessorySimulatorOptions(),
        peer: (AccessoryDescription, AccessoryProtocol) -> any AccessoryPeer = { _, _ in EchoPeer() }
    ) throws(DeviceError) {
        let notes = DifferenceList()
        if path.hasSuffix(".umockdev") {
            let accessories = try Self.accessories(umockdev: path, notes: notes, peer: peer)
            self.init(accessories, options: options, notes: notes)
        } else if path.hasSuffix(".json") {
            self.init([try Self.accessory(declaration: path, peer: peer)], options: options, notes: notes)
        } else {
            try self.init(trace: TraceFile(path: path), options: options)
        }
    }

    /// A simulator of the accessories of a trace, not yet started: see ``init(file:options:peer:)``. The error says that it
    /// tells of none.
    public convenience init(
        trace: TraceFile, options: AccessorySimulatorOptions = AccessorySimulatorOptions()
    ) throws(DeviceError) {
        let notes = DifferenceList()
        let plan = TracePlan(trace)
        for remark in plan.diagnostics.remarks { notes.add(remark) }
        guard !plan.accessories.isEmpty else {
            throw DeviceError(.invalidTrace, "\(trace.name) tells of no accessory.")
        }
        self.init([], options: options, notes: notes, player: TracePlayer(plan, options: options, notes: notes))
    }

    private static func accessories(
        umockdev path: String, notes: DifferenceList,
        peer: (AccessoryDescription, AccessoryProtocol) -> any AccessoryPeer
    ) throws(DeviceError) -> [SimulatedAccessory] {
        let description = try UmockdevDescription(path: path)
        let scriptPath = path.dropLast("umockdev".count) + "script"
        var script: UmockdevScript?
        do throws(DeviceError) {
            script = try UmockdevScript(path: String(scriptPath))
        } catch {
            guard error.code == .notFound else { throw error }
        }
        let isNamed = description.devices.contains { device in
            device.node.map { "/dev/\($0)" == script?.device } ?? false
        }
        var isTaken = false
        let accessories = description.accessories { accessory, spoken in
            guard let script, !isTaken, !isNamed || spoken.node?.path == script.device else {
                return peer(accessory, spoken)
            }
            isTaken = true
            let name = "\(accessory.name), \(spoken.name)"
            return UmockdevPeer(script) { notes.add("\(name): \($0)") }
        }
        guard !accessories.isEmpty else {
            throw DeviceError(.invalidTrace, "\(path) describes no accessory: no device in it has a protocol.")
        }
        return accessories
    }

    private static func accessory(
        declaration path: String, peer: (AccessoryDescription, AccessoryProtocol) -> any AccessoryPeer
    ) throws(DeviceError) -> SimulatedAccessory {
        let bytes = try FileBytes.read(path, limit: DeclaredAccessory.maximumFileLength)
        let (declared, problems) = DeclaredAccessory.read(json: bytes, path: path)
        guard let description = declared?.description else {
            throw problems.first ?? DeviceError(.invalidConfiguration, "\(path) declares no accessory.")
        }
        return SimulatedAccessory(description, peer: peer)
    }
}

extension UmockdevDescription {
    /// The accessories of the description, by the rules that hold for live devices; each protocol with the peer that the
    /// closure gives for it.
    public func accessories(
        peer: (AccessoryDescription, AccessoryProtocol) -> any AccessoryPeer
    ) -> [SimulatedAccessory] {
        accessories.map { SimulatedAccessory($0, peer: peer) }
    }
}

extension SimulatedAccessory {
    fileprivate init(
        _ description: AccessoryDescription, peer: (AccessoryDescription, AccessoryProtocol) -> any AccessoryPeer
    ) {
        self.init(
            description, endpoints: description.protocols.map { Endpoint(name: $0.name, peer: peer(description, $0)) })
    }
}
