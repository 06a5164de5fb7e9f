// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore

/// The accessories, and what could be some, as `list` prints them.
struct AccessoryList: Sendable {
    var accessories: [AccessoryDescription] = []
    var candidates: [AccessoryCandidate] = []
    var problems: [DeviceError] = []

    /// What there is now.
    @concurrent static func load(_ source: any AccessorySource) async -> AccessoryList {
        let accessories = source.accessories
        return AccessoryList(
            accessories: accessories, candidates: (source as? any AccessoryCandidateSource)?.candidates ?? [],
            problems: source.problems)
    }

    /// Rows of a name, a value and a remark, for people.
    func rows(ink: Ink) -> [(name: String, value: String, remark: String)] {
        var rows: [(name: String, value: String, remark: String)] = []
        if accessories.isEmpty { rows.append(("Accessories", "none", "")) }
        for (index, accessory) in accessories.enumerated() {
            let maker = [accessory.manufacturer, accessory.modelNumber].filter { !$0.isEmpty && $0 != accessory.name }
            let serial = accessory.serialNumber.isEmpty ? [] : ["serial \(accessory.serialNumber)"]
            let words = [accessory.label] + (maker + serial).map(Printable.text)
            let port = accessory.portPath.isEmpty ? "" : ", port \(accessory.portPath)"
            rows.append(
                (
                    index == 0 ? "Accessories" : "", words.joined(separator: "  "),
                    Printable.text("\(accessory.identity)\(port)")
                ))
            for offered in accessory.protocols {
                let node = offered.node.map { "  \($0.path)" } ?? ""
                rows.append(("", "  \(offered.name)\(node)", offered.origin.words))
            }
        }
        for (index, candidate) in candidates.enumerated() {
            rows.append(
                (
                    index == 0 ? "Without a name" : "", "\(candidate.place)  \(candidate.label)",
                    candidate.portPath.isEmpty ? "" : "port \(Printable.text(candidate.portPath))"
                ))
            rows.append(("", "  " + ink.dim(Printable.text(candidate.reason)), ""))
        }
        for problem in problems { rows.append(("", ink.color(214, Printable.text(problem.description)), "")) }
        return rows
    }
}

extension AccessoryProtocol.Origin {
    /// Where the name comes from, in words.
    var words: String {
        switch self {
        case .configuration: "configuration"
        case .udevProperty: "udev property EXTERNAL_ACCESSORY_PROTOCOLS"
        case .interfaceString: "the accessory's own interface string"
        case .trace: "trace"
        }
    }
}
