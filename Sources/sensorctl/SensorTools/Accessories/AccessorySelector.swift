// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
package import DeviceCore

/// Selects an accessory and a protocol based on command-line arguments.
package enum AccessorySelector {
    /// An error that explains why nothing was selected and lists the choices.
    package enum Failure: Error, Equatable {
        case missing(String)
        /// More than one accessory or protocol matches, or no protocol was specified.
        case ambiguous(String)

        package var message: String {
            switch self {
            case .missing(let message), .ambiguous(let message): message
            }
        }
    }

    /// Returns the accessory whose name, serial number, identity, port, node path or ID is `text`. If there is no exact
    /// match, ignores case. If there is still no match, accepts a name or identity that begins with `text`.
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
                    .ambiguous("\"\(text)\" matches several accessories. Specify a port or identity:\n" + list(found)))
            }
        }
        guard !accessories.isEmpty else {
            return .failure(
                .missing("There is no accessory \"\(text)\": none is attached. `sensorctl doctor` reports the cause."))
        }
        return .failure(.missing("There is no accessory \"\(text)\". Attached accessories:\n" + list(accessories)))
    }

    /// Returns the protocol named `text`. If there is none, ignores case and also accepts a name that ends with a dot
    /// followed by `text`. If `text` is nil, returns the accessory's only protocol.
    package static func protocolName(_ text: String?, of accessory: AccessoryDescription) -> Result<String, Failure> {
        let names = accessory.protocols.map(\.name)
        let rest = names.isEmpty ? "none" : names.joined(separator: ", ")
        guard let text else {
            if let only = names.first, names.count == 1 { return .success(only) }
            return .failure(.ambiguous("Specify a protocol of \(accessory.label). Available: \(rest)."))
        }
        if names.contains(text) { return .success(text) }
        let suffix = "." + text.lowercased()
        let found = names.filter { $0.lowercased() == text.lowercased() || $0.lowercased().hasSuffix(suffix) }
        if let only = found.first, found.count == 1 { return .success(only) }
        guard found.isEmpty else {
            return .failure(
                .ambiguous("\"\(text)\" matches \(found.joined(separator: " and ")). Specify the full name."))
        }
        return .failure(.missing("\(accessory.label) does not offer the protocol \"\(text)\". Available: \(rest)."))
    }

    private static func list(_ accessories: [AccessoryDescription]) -> String {
        accessories.map { accessory in
            let port = accessory.portPath.isEmpty ? "" : ", port \(accessory.portPath)"
            return "  \(accessory.label)  (\(accessory.identity)\(port), id \(accessory.id))"
        }.joined(separator: "\n")
    }
}

extension AccessoryDescription {
    package var label: String { TerminalText.text(name.isEmpty ? identity : name) }

    fileprivate var keys: [String] {
        [name, serialNumber, identity, portPath, "\(id)"].filter { !$0.isEmpty } + protocols.compactMap(\.node?.path)
    }
}
