// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace
import UmockdevFormat

/// Converts umockdev files to a trace that contains the attached accessories and the recorded communication with one of
/// them.
struct UmockdevImport {
    /// The prefix of generated protocol names. A name is generated for an accessory that has a script but no
    /// description.
    private static let protocolPrefix = "umockdev."
    private let name: String
    private var accessories: [AccessoryDescription]
    private let script: UmockdevScript?
    private var remarks: [String] = []
    private var scriptTarget: (accessory: Int, protocolName: String)?

    init(name: String, _ description: UmockdevDescription?, _ script: UmockdevScript?) throws(DeviceError) {
        self.name = name
        self.script = script
        let found = description?.accessories ?? []
        let usable = found.filter(Self.isUsable)
        accessories = Array(usable.prefix(TraceAccessoryEvent.maximumAccessories))
        if accessories.count < found.count {
            remarks.append(
                "\(found.count - accessories.count) accessories were skipped, because there are too many or their names are too long."
            )
        }
        guard let script else {
            guard !accessories.isEmpty else {
                throw .invalidTrace(
                    "\(name) describes no accessory: none of its devices has a protocol. Add the property EXTERNAL_ACCESSORY_PROTOCOLS to a device, or specify the script of its dialogue."
                )
            }
            return
        }
        let isNamed = description?.devices.contains { $0.node.map { "/dev/\($0)" == script.device } ?? false } ?? false
        scriptTarget = Self.target(of: script, in: accessories, hasDescribedNode: isNamed)
        if scriptTarget == nil {
            let accessory = Self.accessory(of: script)
            scriptTarget = (accessories.count, accessory.protocols.first?.name ?? "")
            accessories.append(accessory)
            remarks.append(
                "The accessory of the dialogue is not described; it is named \(accessory.name), and its protocol \(accessory.protocols.first?.name ?? "")."
            )
        }
    }

    /// Returns the accessory and the protocol that use the script's device node. `hasDescribedNode` is false if no
    /// described device has this node. In that case, returns the first accessory that has a protocol.
    private static func target(
        of script: UmockdevScript, in accessories: [AccessoryDescription], hasDescribedNode: Bool
    ) -> (accessory: Int, protocolName: String)? {
        for (index, accessory) in accessories.enumerated() {
            let matchingProtocol = accessory.protocols.first { !hasDescribedNode || $0.node?.path == script.device }
            if let matchingProtocol { return (index, matchingProtocol.name) }
        }
        return nil
    }

    /// Returns an accessory for a script without a device description. Only the accessory's device node is known.
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

    /// Returns the trace. At time zero, all accessories are attached and the session with the scripted accessory
    /// begins. The script's delays, in milliseconds, become the intervals between the session's events.
    consuming func trace() throws(DeviceError) -> (TraceFile, remarks: [String]) {
        let builder = TraceBuilder(name: name)
        var header = TraceHeader()
        header.clock = ""
        header.source = name
        try builder.write(header)
        for (index, accessory) in accessories.enumerated() {
            try builder.write(event(index, .attached(accessory), at: 0))
        }
        if let script, let scriptTarget { try write(script, scriptTarget, to: builder) }
        return (try builder.file(), remarks)
    }

    private mutating func write(
        _ script: UmockdevScript, _ channel: (accessory: Int, protocolName: String), to sink: any TraceSink
    ) throws(DeviceError) {
        var time: Int64 = 0
        var fuzz = 0
        try sink.write(event(channel.accessory, .opened(channel.protocolName), at: time))
        for step in script.steps {
            switch step {
            case .read(let milliseconds, let bytes):
                time = time.addingSaturated(Int64(milliseconds) * 1_000_000)
                try sink.write(event(channel.accessory, .received(channel.protocolName, bytes), at: time))
            case .write(let milliseconds, let bytes):
                time = time.addingSaturated(Int64(milliseconds) * 1_000_000)
                try sink.write(event(channel.accessory, .sent(channel.protocolName, bytes), at: time))
            case .fuzz(let percent): fuzz = max(fuzz, Int(percent))
            }
        }
        try sink.write(event(channel.accessory, .closed(channel.protocolName, .closed), at: time))
        if fuzz > 0 {
            remarks.append(
                "The script permits up to \(fuzz) percent of the written bytes to differ, which a trace cannot represent."
            )
        }
    }

    private func event(_ accessory: Int, _ change: TraceAccessoryEvent.Change, at time: Int64) -> TraceEvent {
        TraceEvent(time: time, .accessory(TraceAccessoryEvent(accessory: String(accessory + 1), change)))
    }
}

extension RecordingFormat {
    /// A umockdev device description or script. If the same directory contains both, with matching names, both are
    /// read. This format can be read but not written.
    package static let umockdev = RecordingFormat(
        name: "umockdev", title: "umockdev files",
        detect: { (input) throws(DeviceError) in UmockdevFile(input) == nil ? nil : .certain },
        read: read)

    private static func read(
        _ input: RecordingInput, _ options: RecordingOptions
    ) throws(DeviceError) -> RecordingContents {
        let bytes = try input.bytes()
        let kind = UmockdevFile(input) ?? .description
        let ending = kind.fileExtension
        var other: ([UInt8], String)?
        if input.name.lowercased().hasSuffix(ending), let file = input.name.split(separator: "/").last {
            let name = file.dropLast(ending.utf8.count) + kind.relatedFile.fileExtension
            let path = input.name.dropLast(ending.utf8.count) + kind.relatedFile.fileExtension
            other = try input.readSibling(named: String(name)).map { ($0, String(path)) }
        }
        let pair = [kind: (bytes, input.name), kind.relatedFile: other]
        var devices: UmockdevDescription?
        if case let (bytes, name)?? = pair[.description] { devices = try UmockdevDescription(bytes: bytes, name: name) }
        var dialogue: UmockdevScript?
        if case let (bytes, name)?? = pair[.script] { dialogue = try UmockdevScript(bytes: bytes, name: name) }
        let (trace, remarks) = try UmockdevImport(name: input.name, devices, dialogue).trace()
        return .trace(trace, remarks: remarks)
    }
}

private enum UmockdevFile {
    case description, script

    init?(_ input: RecordingInput) {
        let prefix = input.prefix
        if prefix.starts(with: "P: /devices/".utf8) {
            self = .description
            return
        }
        if !prefix.starts(with: "d 0 /".utf8) {
            // A script need not begin with a device name. If it does not, its file name must have the extension of a
            // script.
            guard input.name.lowercased().hasSuffix(Self.script.fileExtension), let first = prefix.first else {
                return nil
            }
            let begins = prefix.dropFirst().first == UInt8(ascii: " ") && "rwfd".utf8.contains(first)
            guard begins || first == UInt8(ascii: "#") else { return nil }
        }
        self = .script
    }

    var fileExtension: String { self == .description ? ".umockdev" : ".script" }
    var relatedFile: UmockdevFile { self == .description ? .script : .description }
}
