// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

/// The devices of a umockdev description, as a monitor would tell of them.
enum UmockdevFile {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Simulators/Traces/udev")

    static func records(_ name: String) throws -> [UdevRecord] {
        let text = try String(contentsOf: folder.appendingPathComponent("\(name).umockdev"), encoding: .utf8)
        return text.components(separatedBy: "\n\n").compactMap { record($0) }
    }

    private static func record(_ block: String) -> UdevRecord? {
        var record = UdevRecord(path: "", subsystem: "")
        for line in block.split(separator: "\n") where line.count > 3 {
            let value = String(line.dropFirst(3))
            let parts = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let name = parts.first ?? ""
            let rest = parts.count > 1 ? parts[1] : ""
            switch line.first {
            case "P": record.path = "/sys" + value
            case "N": record.node = "/dev/" + name
            case "E": record.properties[name] = rest
            case "A": record.attributes[name] = rest.replacingOccurrences(of: "\\n", with: "")
            case "H": record.attributes[name] = rest
            default: break
            }
        }
        record.subsystem = record.properties["SUBSYSTEM"] ?? ""
        record.type = record.properties["DEVTYPE"] ?? ""
        return record.path.isEmpty ? nil : record
    }
}
