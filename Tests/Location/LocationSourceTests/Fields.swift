// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol

/// Converts the fields of a report to strings, so that a comparison can name the fields that differ.
enum Fields {
    static func of(_ report: GPSDReport) -> [String: String] {
        var fields: [String: String] = [:]
        switch report {
        case .position(let report):
            fields["kind"] = "position"
            add(report, to: &fields)
        case .sky(let sky):
            fields["kind"] = "sky"
            add(sky, except: "satellites", to: &fields)
            fields["satellites.count"] = sky.satellites.map { "\($0.count)" } ?? "nil"
            for (index, satellite) in (sky.satellites ?? []).enumerated() {
                add(satellite, to: &fields, prefix: "satellites.\(index).")
            }
        case .attitude(let attitude):
            fields["kind"] = "attitude"
            add(attitude, to: &fields)
        default:
            fields["kind"] = "\(report)"
        }
        return fields
    }

    private static func add(_ value: Any, except: String = "", to fields: inout [String: String], prefix: String = "") {
        for child in Mirror(reflecting: value).children {
            guard let label = child.label, label != except else { continue }
            fields[prefix + label] = "\(child.value)"
        }
    }
}
