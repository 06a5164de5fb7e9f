// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore

/// The declared accessories, keyed by their source. Assigns unique identities and detects conflicting declarations.
/// `UdevSource` owns the store and protects it with a lock.
struct DeclaredAccessoryStore {
    /// The source of a declaration. It stays the same when the app restarts.
    enum DeclarationSource: Hashable, Comparable {
        case configuration(Int)
        case file(String)

        /// The accessory's key. If several accessories have the same identity, each is given its key as its identity.
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

    /// A property that only one declared accessory may have.
    private enum UniqueProperty: Hashable {
        case identity(String)
        case node(String)

        /// The subject of the problem reported if several accessories share this property.
        var subject: String {
            switch self {
            case .identity(let identity): "shared identity: " + identity
            case .node(let path): "node: " + path
            }
        }
    }

    private var declared: [DeclarationSource: DeclaredAccessory] = [:]
    private var sources: [UniqueProperty: Set<DeclarationSource>] = [:]
    /// The properties whose declarations may have changed since the last call to `drainChanges`.
    private var changedProperties: Set<UniqueProperty> = []
    /// The properties with conflicts that have been reported but not yet resolved.
    private var conflictingProperties: Set<UniqueProperty> = []

    /// Sets or removes a source's accessory. This may change the identities of other accessories.
    mutating func set(_ accessory: DeclaredAccessory?, at source: DeclarationSource) {
        if let former = declared[source] {
            for property in Self.uniqueProperties(of: former) {
                sources[property]?.remove(source)
                if sources[property]?.isEmpty == true { sources[property] = nil }
                changedProperties.insert(property)
            }
        }
        declared[source] = accessory
        guard let accessory else { return }
        for property in Self.uniqueProperties(of: accessory) {
            sources[property, default: []].insert(source)
            changedProperties.insert(property)
        }
    }

    /// Returns the description of a source's accessory. If several accessories have the same identity, each is given
    /// its source's key instead, so identities do not depend on the order of the declarations.
    func description(at source: DeclarationSource) -> AccessoryDescription? {
        guard var description = declared[source]?.description else { return nil }
        if sources[.identity(description.identity), default: []].count > 1 { description.identity = source.key }
        return description
    }

    /// Returns the conflicts that may have changed since the last call. If `problem` is `nil`, the conflict has been
    /// resolved. If `isNew` is false, the conflict was already returned by an earlier call.
    mutating func drainChanges() -> [(subject: String, problem: DeviceError?, isNew: Bool)] {
        var changes: [(subject: String, problem: DeviceError?, isNew: Bool)] = []
        for property in changedProperties.sorted(by: { $0.subject < $1.subject }) {
            let sources = sources[property, default: []].sorted()
            if sources.count > 1 {
                let isNew = conflictingProperties.insert(property).inserted
                changes.append((property.subject, Self.problem(property, sources), isNew))
            } else if conflictingProperties.remove(property) != nil {
                changes.append((property.subject, nil, false))
            }
        }
        changedProperties = []
        return changes
    }

    private static func uniqueProperties(of accessory: DeclaredAccessory) -> Set<UniqueProperty> {
        Set([.identity(accessory.description.identity)] + accessory.endpoints.map { .node($0.node.path) })
    }

    private static func problem(_ property: UniqueProperty, _ sources: [DeclarationSource]) -> DeviceError {
        var names = sources.prefix(3).map(\.displayName).joined(separator: " and ")
        if sources.count > 3 { names += " and \(sources.count - 3) more" }
        switch property {
        case .identity(let identity):
            return DeviceError(
                .invalidConfiguration,
                "\(names) declare accessories with the same identity \(TerminalSanitizer.sanitized(identity)). Their "
                    + "files or settings are used as identities instead. Give each accessory a unique \"port\" or \"serial\"."
            )
        case .node(let path):
            return DeviceError(
                .invalidConfiguration,
                "\(names) declare the same node \(TerminalSanitizer.sanitized(path)), which only one accessory can use at "
                    + "a time. Remove the other declarations.")
        }
    }
}
