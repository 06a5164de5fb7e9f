// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
package import DeviceCore

/// Finds the accessory, and the protocol, that somebody means.
package enum AccessoryChoice {
    /// Why nothing was chosen, in words that help to choose.
    package enum Failure: Error, Equatable {
        /// Nothing like that is attached.
        case missing(String)
        /// Several are meant, or it was left open which.
        case ambiguous(String)

        package var message: String {
            switch self {
            case .missing(let message), .ambiguous(let message): message
            }
        }
    }

    /// The accessory with that name, serial number, identity, port, node or id; failing that, the one whose name or
    /// identity begins so.
    package static func accessory(
        _ text: String, among accessories: [AccessoryDescription]
    ) -> Result<AccessoryDescription, Failure> {
        let wanted = text.lowercased()
        let steps: [(AccessoryDescription) -> Bool] = [
            { $0.keys.contains(text) },
            { $0.keys.contains { $0.lowercased() == wanted } },
            { $0.name.lowercased().hasPrefix(wanted) || $0.identity.lowercased().hasPrefix(wanted) },
        ]
        for step in steps where !text.isEmpty {
            let found = accessories.filter(step)
            if let only = found.first, found.count == 1 { return .success(only) }
            if found.count > 1 {
                return .failure(
                    .ambiguous("\"\(text)\" may be one of several. Say which by its port or identity:\n" + list(found)))
            }
        }
        guard !accessories.isEmpty else {
            return .failure(
                .missing("There is no accessory \"\(text)\", nor any other. `sensorctl doctor` says what is missing."))
        }
        return .failure(.missing("There is no accessory \"\(text)\"; there are:\n" + list(accessories)))
    }

    /// The protocol with that name, or whose name ends so after a dot; nil for the only one there is.
    package static func protocolName(_ text: String?, of accessory: AccessoryDescription) -> Result<String, Failure> {
        let names = accessory.protocols.map(\.name)
        let rest = names.isEmpty ? "none" : names.joined(separator: ", ")
        guard let text else {
            if let only = names.first, names.count == 1 { return .success(only) }
            return .failure(.ambiguous("Name a protocol of \(accessory.label); there are \(rest)."))
        }
        if names.contains(text) { return .success(text) }
        let suffix = "." + text.lowercased()
        let found = names.filter { $0.lowercased() == text.lowercased() || $0.lowercased().hasSuffix(suffix) }
        if let only = found.first, found.count == 1 { return .success(only) }
        guard found.isEmpty else {
            return .failure(.ambiguous("\"\(text)\" may be \(found.joined(separator: " or ")). Write it in full."))
        }
        return .failure(.missing("\(accessory.label) does not speak \"\(text)\"; it speaks \(rest)."))
    }

    private static func list(_ accessories: [AccessoryDescription]) -> String {
        accessories.map { accessory in
            let port = accessory.portPath.isEmpty ? "" : ", port \(accessory.portPath)"
            return "  \(accessory.label)  (\(accessory.identity)\(port), id \(accessory.id))"
        }.joined(separator: "\n")
    }
}

extension AccessoryDescription {
    /// What it is called where it is spoken of.
    package var label: String { Printable.text(name.isEmpty ? identity : name) }

    /// By what it can be meant.
    fileprivate var keys: [String] {
        [name, serialNumber, identity, portPath, "\(id)"].filter { !$0.isEmpty } + protocols.compactMap(\.node?.path)
    }
}
