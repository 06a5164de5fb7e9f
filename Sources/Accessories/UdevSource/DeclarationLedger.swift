// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore

/// The declared accessories by the place of their declaration. Assigns unique identities and detects conflicting
/// declarations.
struct DeclarationLedger {
    /// The place of a declaration. It remains the same when the app is restarted.
    enum Place: Hashable, Comparable {
        /// An element of the list in the configuration.
        case configuration(Int)
        case file(String)

        /// The key of the accessory, which is also its identity if its own identity is not unique.
        var key: String {
            switch self {
            case .configuration(let index): "declared:\(index)"
            case .file(let path): "file:" + path
            }
        }

        fileprivate var words: String {
            switch self {
            case .configuration(let index): "accessories.declared[\(index)]"
            case .file(let path): ShownText.cleaned(path)
            }
        }
    }

    /// A property that must be unique among accessories.
    private enum Claim: Hashable {
        case identity(String)
        case node(String)

        /// The key of the problem with this property.
        var key: String {
            switch self {
            case .identity(let identity): "twins: " + identity
            case .node(let path): "node: " + path
            }
        }
    }

    private var declared: [Place: DeclaredAccessory] = [:]
    private var claims: [Claim: Set<Place>] = [:]
    private var touched: Set<Claim> = []
    private var disputed: Set<Claim> = []

    /// Sets the accessory that is declared at a place; nil removes it.
    mutating func set(_ accessory: DeclaredAccessory?, at place: Place) {
        if let former = declared[place] {
            for claim in Self.claims(of: former) {
                claims[claim]?.remove(place)
                if claims[claim]?.isEmpty == true { claims[claim] = nil }
                touched.insert(claim)
            }
        }
        declared[place] = accessory
        guard let accessory else { return }
        for claim in Self.claims(of: accessory) {
            claims[claim, default: []].insert(place)
            touched.insert(claim)
        }
    }

    /// Returns the accessory that is declared at a place. If several accessories have the same identity, each one gets
    /// the key of its place as its identity, which does not depend on their order.
    func description(at place: Place) -> AccessoryDescription? {
        guard var description = declared[place]?.description else { return nil }
        if claims[.identity(description.identity), default: []].count > 1 { description.identity = place.key }
        return description
    }

    /// Returns the conflicts that were added or changed since the last call, and nil as the problem of those that were
    /// resolved. `isNews` is true for conflicts that did not exist before.
    mutating func takeChanges() -> [(subject: String, problem: DeviceError?, isNews: Bool)] {
        var changes: [(subject: String, problem: DeviceError?, isNews: Bool)] = []
        for claim in touched.sorted(by: { $0.key < $1.key }) {
            let places = claims[claim, default: []].sorted()
            if places.count > 1 {
                changes.append((claim.key, Self.problem(claim, places), disputed.insert(claim).inserted))
            } else if disputed.remove(claim) != nil {
                changes.append((claim.key, nil, false))
            }
        }
        touched = []
        return changes
    }

    private static func claims(of accessory: DeclaredAccessory) -> Set<Claim> {
        Set([.identity(accessory.description.identity)] + accessory.endpoints.map { .node($0.node.path) })
    }

    private static func problem(_ claim: Claim, _ places: [Place]) -> DeviceError {
        var words = places.prefix(3).map(\.words).joined(separator: " and ")
        if places.count > 3 { words += " and \(places.count - 3) more" }
        switch claim {
        case .identity(let identity):
            return DeviceError(
                .invalidConfiguration,
                "\(words) declare accessories with the same identity \(ShownText.cleaned(identity)). Their files or "
                    + "settings are used as identities instead. Give each accessory a unique \"port\" or \"serial\".")
        case .node(let path):
            return DeviceError(
                .invalidConfiguration,
                "\(words) declare the same node \(ShownText.cleaned(path)), which only one accessory can use at a time. "
                    + "Remove the other declarations.")
        }
    }
}
