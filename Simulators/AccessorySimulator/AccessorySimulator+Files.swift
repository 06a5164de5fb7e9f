// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
public import DeviceCore
public import Trace
package import UmockdevFormat

extension AccessorySimulator {
    /// Creates a simulator for the accessories in a file. Call ``start()`` to start it.
    ///
    /// - `NAME.umockdev`: Device descriptions. Accessories are identified by the same rules as on live systems. If
    ///   `NAME.script` exists, its dialogue belongs to the protocol whose node it names, or to the first protocol if it
    ///   names none of the nodes.
    /// - `NAME.json`: An accessory declaration, whose nodes are ignored.
    /// - All other files are traces. Accessories are attached and detached at their recorded times. Sessions play the
    ///   recorded dialogues in order and with the recorded delays. The accessory sends its next bytes only after the
    ///   program has written the preceding bytes of the dialogue. If an accessory is due to be detached before all of
    ///   its dialogues have ended, it remains attached until they end or the program has been inactive for
    ///   ``AccessorySimulatorOptions/dialogueTimeout``.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - options: The simulator options.
    ///   - peer: A closure that returns the peer for a protocol. It is called only for protocols without a dialogue in
    ///     the file, and never for traces.
    public convenience init(
        file path: String, options: AccessorySimulatorOptions = AccessorySimulatorOptions(),
        peer: (AccessoryDescription, AccessoryProtocol) -> any AccessoryPeer = { _, _ in EchoPeer() }
    ) throws(DeviceError) {
        let differenceList = DifferenceList()
        if path.hasSuffix(".umockdev") {
            let accessories = try Self.accessories(umockdev: path, differenceList: differenceList, peer: peer)
            self.init(accessories, options: options, differenceList: differenceList)
        } else if path.hasSuffix(".json") {
            self.init(
                [try Self.accessory(declaration: path, peer: peer)], options: options, differenceList: differenceList)
        } else {
            try self.init(trace: TraceFile(path: path), options: options)
        }
    }

    /// Creates a simulator for the accessories in a trace. Call ``start()`` to start it.
    ///
    /// - Throws: An error if the trace contains no accessory.
    public convenience init(
        trace: TraceFile, options: AccessorySimulatorOptions = AccessorySimulatorOptions()
    ) throws(DeviceError) {
        let differenceList = DifferenceList()
        let timeline = AccessoryTimeline(trace)
        for remark in timeline.diagnostics.remarks { differenceList.add(remark) }
        guard !timeline.accessories.isEmpty else {
            throw DeviceError(.invalidTrace, "\(trace.name) contains no accessory.")
        }
        self.init([], options: options, differenceList: differenceList, timeline: timeline)
    }

    private static func accessories(
        umockdev path: String, differenceList: DifferenceList,
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
        var isScriptAssigned = false
        let accessories = description.accessories { accessory, accessoryProtocol in
            guard let script, !isScriptAssigned, !isNamed || accessoryProtocol.node?.path == script.device else {
                return peer(accessory, accessoryProtocol)
            }
            isScriptAssigned = true
            let name = "\(accessory.name), \(accessoryProtocol.name)"
            return UmockdevPeer(script) { differenceList.add("\(name): \($0)") }
        }
        guard !accessories.isEmpty else {
            throw DeviceError(.invalidTrace, "\(path) describes no accessory: none of its devices has a protocol.")
        }
        return accessories
    }

    private static func accessory(
        declaration path: String, peer: (AccessoryDescription, AccessoryProtocol) -> any AccessoryPeer
    ) throws(DeviceError) -> SimulatedAccessory {
        let bytes = try FileIO.read(path, limit: DeclaredAccessory.maximumFileLength)
        let (declared, problems) = DeclaredAccessory.read(json: bytes, path: path)
        guard let description = declared?.description else {
            throw problems.first ?? DeviceError(.invalidConfiguration, "\(path) declares no accessory.")
        }
        return SimulatedAccessory(description, peer: peer)
    }
}

extension UmockdevDescription {
    /// Returns the accessories in the description. The closure returns the peer for a protocol.
    package func accessories(
        peer: (AccessoryDescription, AccessoryProtocol) -> any AccessoryPeer
    ) -> [SimulatedAccessory] { accessories.map { SimulatedAccessory($0, peer: peer) } }
}

extension SimulatedAccessory {
    fileprivate init(
        _ description: AccessoryDescription, peer: (AccessoryDescription, AccessoryProtocol) -> any AccessoryPeer
    ) {
        self.init(
            description, endpoints: description.protocols.map { Endpoint(name: $0.name, peer: peer(description, $0)) })
    }
}
