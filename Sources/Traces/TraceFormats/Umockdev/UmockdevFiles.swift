// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Trace

/// Tells umockdev's files from others, and finds those that belong together.
enum UmockdevFiles {
    /// What a file is.
    enum Kind {
        case description, script
    }

    private static let descriptionEnding = ".umockdev"
    private static let scriptEnding = ".script"

    /// What the first bytes and the name say; nil for something else.
    static func kind(of prefix: some Collection<UInt8>, _ path: String) -> Kind? {
        if prefix.starts(with: "P: /devices/".utf8) { return .description }
        if prefix.starts(with: "d 0 /".utf8) { return .script }
        // Scripts need not name a device.
        guard path.lowercased().hasSuffix(scriptEnding), let first = prefix.first else { return nil }
        let begins = prefix.dropFirst().first == UInt8(ascii: " ") && "rwfd".utf8.contains(first)
        return begins || first == UInt8(ascii: "#") ? .script : nil
    }

    /// Reads a file, and the one beside it whose name differs in the ending only.
    static func load(_ path: String, _ bytes: [UInt8], _ kind: Kind) throws(DeviceError) -> (
        TraceFile, remarks: [String]
    ) {
        let endings = kind == .description ? (descriptionEnding, scriptEnding) : (scriptEnding, descriptionEnding)
        var other: [UInt8]?
        var otherPath = ""
        if path.lowercased().hasSuffix(endings.0) {
            otherPath = path.dropLast(endings.0.utf8.count) + endings.1
            other = try Folder.readIfPresent(otherPath)
        }
        switch kind {
        case .description: return try trace(path, description: (bytes, path), script: other.map { ($0, otherPath) })
        case .script: return try trace(path, description: other.map { ($0, otherPath) }, script: (bytes, path))
        }
    }

    /// Reads a file that is in memory.
    static func read(_ bytes: [UInt8], name: String, _ kind: Kind) throws(DeviceError) -> (TraceFile, remarks: [String])
    {
        switch kind {
        case .description: try trace(name, description: (bytes, name), script: nil)
        case .script: try trace(name, description: nil, script: (bytes, name))
        }
    }

    private static func trace(
        _ name: String, description: ([UInt8], String)?, script: ([UInt8], String)?
    ) throws(DeviceError) -> (TraceFile, remarks: [String]) {
        var devices: UmockdevDescription?
        if let (bytes, name) = description { devices = try UmockdevDescription(bytes: bytes, name: name) }
        var dialogue: UmockdevScript?
        if let (bytes, name) = script { dialogue = try UmockdevScript(bytes: bytes, name: name) }
        let importer = try UmockdevImport(name: name, devices, dialogue)
        return try importer.trace()
    }
}
