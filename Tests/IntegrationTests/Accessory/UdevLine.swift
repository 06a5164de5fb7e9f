// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A line printed by the `udev` command of the test program or by its stage.
struct UdevLine: Decodable, Sendable {
    struct Device: Decodable, Sendable, Equatable {
        var path: String
        var subsystem: String
        var type: String
        var node: String
        var usbInterface: String
        var usbDevice: String
        var isInitialized: Bool
        var properties: [String: String]
        var attributes: [String: String]
    }

    /// A device of a snapshot, with its record or only its path.
    enum Entry: Decodable, Sendable {
        case path(String)
        case device(Device)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let path = try? container.decode(String.self) {
                self = .path(path)
            } else {
                self = .device(try container.decode(Device.self))
            }
        }
    }

    var event: String
    var path: String?
    var device: Device?
    var devices: [Entry]?
    var code: String?
    var message: String?
    var lines: [String]?
    var status: Int?
    var count: Int?
    var wakeUps: Int?
    var messages: Int?
    var unusable: Int?
    var overflows: Int?
    var scans: Int?
    var group: String?

    init?(_ line: String) {
        guard let decoded = try? JSONDecoder().decode(UdevLine.self, from: Data(line.utf8)) else { return nil }
        self = decoded
    }

    /// True if the event only answers a command.
    var isAnswer: Bool { ["done", "log", "ended", "statistics", "stopped", "threads"].contains(event) }

    /// The paths of a snapshot.
    var paths: [String] {
        (devices ?? []).map { entry in
            switch entry {
            case .path(let path): path
            case .device(let device): device.path
            }
        }
    }

    /// The records of a snapshot.
    var records: [Device] {
        (devices ?? []).compactMap { entry in
            if case .device(let device) = entry { device } else { nil }
        }
    }

    /// A short form for comparisons.
    var summary: String { ([event] + paths + [path, code].compactMap { $0 }).joined(separator: " ") }
}
