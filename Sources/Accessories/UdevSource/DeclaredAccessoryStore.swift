// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore

/// The declared accessories, keyed by the source of their declaration. Assigns unique identities and detects
/// conflicting declarations.
struct DeclaredAccessoryStore {
    /// The source of a declaration. Stable across restarts of the app.
    enum DeclarationSource: Hashable, Comparable {
        case configuration(Int)
        case file(String)

        /// The key of the accessory. Also serves as the identity if the accessory's own identity is not unique.
        var key: String {
            switch self {
            case .configuration(let index): "declared:\(index)"
            case .file(let path): "file:" + path
            }
        }

        fileprivate var displayName: String {
            switch self {
            case .configuration(let index): "accessories.declared[\(index)]"
            case .file(let path): TerminalSanitizer.sanitized(path)
            }
        }
    }

    /// A property that must be unique among accessories.
    private enum UniqueProperty: Hashable {
        case identity(String)
        case node(String)

        var key: String {
            switch self {
            case .identity(let identity): "twins: " + identity
            case .node(let path): "node: " + path
            }
        }
    }

    private var declared: [DeclarationSource: DeclaredAccessory] = [:]
    private var claims: [UniqueProperty: Set<DeclarationSource>] = [:]
    private var changedProperties: Set<UniqueProperty> = []
    private var conflictingProperties: Set<UniqueProperty> = []

    mutating func set(_ accessory: DeclaredAccessory?, at place: DeclarationSource) {
        if let former = declared[place] {
            for claim in Self.claims(of: former) {
                claims[claim]?.remove(place)
                if claims[claim]?.isEmpty == true { claims[claim] = nil }
                changedProperties.insert(claim)
            }
        }
        declared[place] = accessory
        guard let accessory else { return }
        for claim in Self.claims(of: accessory) {
            claims[claim, default: []].insert(place)
            changedProperties.insert(claim)
        }
    }

    /// Returns the accessory declared by a source. If several accessories have the same identity, each receives the key
    /// of its source as its identity, so that identities do not depend on the order of declarations.
    func description(at place: DeclarationSource) -> AccessoryDescription? {
        guard var description = declared[place]?.description else { return nil }
        if claims[.identity(description.identity), default: []].count > 1 { description.identity = place.key }
        return description
    }

    /// Returns the conflicts that have changed. `problem` is `nil` if the conflict has been resolved.
    mutating func drainChanges() -> [(subject: String, problem: DeviceError?, isNew: Bool)] {
        var changes: [(subject: String, problem: DeviceError?, isNew: Bool)] = []
        for claim in changedProperties.sorted(by: { $0.key < $1.key }) {
            let places = claims[claim, default: []].sorted()
            if places.count > 1 {
                changes.append((claim.key, Self.problem(claim, places), conflictingProperties.insert(claim).inserted))
            } else if conflictingProperties.remove(claim) != nil {
                changes.append((claim.key, nil, false))
            }
        }
        changedProperties = []
        return changes
    }

    private static func claims(of accessory: DeclaredAccessory) -> Set<UniqueProperty> {
        Set([.identity(accessory.description.identity)] + accessory.endpoints.map { .node($0.node.path) })
    }

    private static func problem(_ claim: UniqueProperty, _ places: [DeclarationSource]) -> DeviceError {
        var words = places.prefix(3).map(\.displayName).joined(separator: " and ")
        if places.count > 3 { words += " and \(places.count - 3) more" }
        switch claim {
        case .identity(let identity):
            return DeviceError(
                .invalidConfiguration,
                "\(words) declare accessories with the same identity \(TerminalSanitizer.sanitized(identity)). Their files or "
                    + "settings are used as identities instead. Give each accessory a unique \"port\" or \"serial\".")
        case .node(let path):
            return DeviceError(
                .invalidConfiguration,
                "\(words) declare the same node \(TerminalSanitizer.sanitized(path)), which only one accessory can use at a time. "
                    + "Remove the other declarations.")
        }
    }
}
