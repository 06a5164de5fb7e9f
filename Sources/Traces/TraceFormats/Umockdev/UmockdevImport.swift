// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Trace

/// Makes a trace of umockdev's files: accessories that are attached, and the dialogue with one of them.
struct UmockdevImport {
    /// What an accessory is called whose dialogue was recorded without a description of it: its protocol begins so.
    private static let protocolPrefix = "umockdev."

    private let name: String
    private var accessories: [AccessoryDescription]
    private let script: UmockdevScript?
    private var remarks: [String] = []
    /// Where the dialogue belongs.
    private var place: (accessory: Int, protocolName: String)?

    /// - Parameters:
    ///   - description: the devices; nil when there is only a dialogue.
    ///   - script: the dialogue; nil when there is none.
    init(name: String, _ description: UmockdevDescription?, _ script: UmockdevScript?) throws(DeviceError) {
        self.name = name
        self.script = script
        let found = description?.accessories ?? []
        let usable = found.filter(Self.isUsable)
        accessories = Array(usable.prefix(TraceAccessoryEvent.maximumAccessories))
        if accessories.count < found.count {
            remarks.append(
                "\(found.count - accessories.count) accessories were left out: there are too many, or their names are too long."
            )
        }
        guard let script else {
            guard !accessories.isEmpty else {
                throw DeviceError(
                    .invalidTrace,
                    "\(name) describes no accessory: no device in it has a protocol. Give one the property EXTERNAL_ACCESSORY_PROTOCOLS, or name the script of its dialogue."
                )
            }
            return
        }
        let isNamed = description?.devices.contains { $0.node.map { "/dev/\($0)" == script.device } ?? false } ?? false
        place = Self.place(of: script, in: accessories, isNamed: isNamed)
        if place == nil {
            let accessory = Self.accessory(of: script)
            place = (accessories.count, accessory.protocols.first?.name ?? "")
            accessories.append(accessory)
            remarks.append(
                "Nothing says what accessory the dialogue is with; it is called \(accessory.name), and its protocol \(accessory.protocols.first?.name ?? "")."
            )
        }
    }

    /// The protocol whose node the script names; where no device has that node the first one.
    private static func place(
        of script: UmockdevScript, in accessories: [AccessoryDescription], isNamed: Bool
    ) -> (accessory: Int, protocolName: String)? {
        for (index, accessory) in accessories.enumerated() {
            if let spoken = accessory.protocols.first(where: { !isNamed || $0.node?.path == script.device }) {
                return (index, spoken.name)
            }
        }
        return nil
    }

    /// An accessory of which only the node is known.
    private static func accessory(of script: UmockdevScript) -> AccessoryDescription {
        let node = script.device?.split(separator: "/").last.map { String($0.prefix(100)) } ?? "device"
        let plain = String(
            decoding: node.utf8.map { byte -> UInt8 in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "_"): byte
                default: UInt8(ascii: "-")
                }
            }, as: UTF8.self)
        return AccessoryDescription(
            identity: "port:\(plain)", name: plain, portPath: plain,
            protocols: [AccessoryProtocol(name: protocolPrefix + plain, origin: .trace)])
    }

    private static func isUsable(_ accessory: AccessoryDescription) -> Bool {
        let texts = [
            accessory.identity, accessory.name, accessory.manufacturer, accessory.modelNumber, accessory.serialNumber,
            accessory.firmwareRevision, accessory.hardwareRevision, accessory.portPath,
        ]
        return texts.allSatisfy { $0.utf8.count <= TraceAccessoryEvent.maximumNameLength }
            && accessory.protocols.count <= TraceAccessoryEvent.maximumProtocols
    }

    /// The trace: all accessories are attached at the start; the session with one of them begins then and goes on by the
    /// script's milliseconds.
    consuming func trace() throws(DeviceError) -> (TraceFile, remarks: [String]) {
        let builder = TraceBuilder(name: name)
        var header = TraceHeader()
        header.clock = ""
        header.source = name
        try builder.write(header)
        for (index, accessory) in accessories.enumerated() {
            try builder.write(event(index, .attached(accessory), at: 0))
        }
        if let script, let place { try write(script, place, to: builder) }
        return (try builder.file(), remarks)
    }

    private mutating func write(
        _ script: UmockdevScript, _ place: (accessory: Int, protocolName: String), to sink: any TraceSink
    ) throws(DeviceError) {
        var time: Int64 = 0
        var fuzz = 0
        try sink.write(event(place.accessory, .opened(place.protocolName), at: time))
        for step in script.steps {
            switch step {
            case .read(let milliseconds, let bytes):
                time = time.addingSaturated(Int64(milliseconds) * 1_000_000)
                try sink.write(event(place.accessory, .received(place.protocolName, bytes), at: time))
            case .write(let milliseconds, let bytes):
                time = time.addingSaturated(Int64(milliseconds) * 1_000_000)
                try sink.write(event(place.accessory, .sent(place.protocolName, bytes), at: time))
            case .fuzz(let percent): fuzz = max(fuzz, Int(percent))
            }
        }
        try sink.write(event(place.accessory, .closed(place.protocolName, .closed), at: time))
        if fuzz > 0 {
            remarks.append(
                "The script lets up to \(fuzz) percent of the bytes that are written differ; a trace has no place for that."
            )
        }
    }

    private func event(_ accessory: Int, _ change: TraceAccessoryEvent.Change, at time: Int64) -> TraceEvent {
        TraceEvent(time: time, .accessory(TraceAccessoryEvent(accessory: String(accessory + 1), change)))
    }
}
