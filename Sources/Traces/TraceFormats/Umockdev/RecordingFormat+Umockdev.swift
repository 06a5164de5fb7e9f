// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace
import UmockdevFormat

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

extension RecordingFormat {
    /// umockdev's description of devices, or its script of a dialogue, with the other one that lies beside it. They are
    /// read and not written.
    public static let umockdev = RecordingFormat(
        name: "umockdev", title: "a file of umockdev",
        sniff: { (input) throws(DeviceError) in UmockdevFile(input) == nil ? nil : .certain },
        read: read)

    private static func read(
        _ input: RecordingInput, _ options: RecordingOptions
    ) throws(DeviceError) -> RecordingContents {
        let bytes = try input.bytes()
        let kind = UmockdevFile(input) ?? .description
        let ending = kind.ending
        var other: ([UInt8], String)?
        if input.name.lowercased().hasSuffix(ending), let file = input.name.split(separator: "/").last {
            let name = file.dropLast(ending.utf8.count) + kind.other.ending
            let path = input.name.dropLast(ending.utf8.count) + kind.other.ending
            other = try input.neighbour(String(name)).map { ($0, String(path)) }
        }
        let pair = [kind: (bytes, input.name), kind.other: other]
        var devices: UmockdevDescription?
        if case let (bytes, name)?? = pair[.description] { devices = try UmockdevDescription(bytes: bytes, name: name) }
        var dialogue: UmockdevScript?
        if case let (bytes, name)?? = pair[.script] { dialogue = try UmockdevScript(bytes: bytes, name: name) }
        let (trace, remarks) = try UmockdevImport(name: input.name, devices, dialogue).trace()
        return .trace(trace, remarks: remarks)
    }
}

/// What a file of umockdev is.
private enum UmockdevFile {
    case description, script

    /// What the first bytes and the name say; nil for something else.
    init?(_ input: RecordingInput) {
        let prefix = input.prefix
        if prefix.starts(with: "P: /devices/".utf8) {
            self = .description
            return
        }
        if !prefix.starts(with: "d 0 /".utf8) {
            // Scripts need not name a device.
            guard input.name.lowercased().hasSuffix(Self.script.ending), let first = prefix.first else { return nil }
            let begins = prefix.dropFirst().first == UInt8(ascii: " ") && "rwfd".utf8.contains(first)
            guard begins || first == UInt8(ascii: "#") else { return nil }
        }
        self = .script
    }

    var ending: String { self == .description ? ".umockdev" : ".script" }
    /// What may lie beside it.
    var other: UmockdevFile { self == .description ? .script : .description }
}
