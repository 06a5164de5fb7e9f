// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore

/// Which accessories are declared where. Tells apart those that would pass for one, and says which are in each other's
/// way.
struct DeclarationLedger {
    /// Where an accessory is declared: the same in each run of a program.
    enum Place: Hashable, Comparable {
        /// An element of the configuration.
        case configuration(Int)
        case file(String)

        /// Names it among accessories, and is an identity where no better one is to be had.
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

    /// What only one accessory can have.
    private enum Claim: Hashable {
        case identity(String)
        case node(String)

        /// Names it among problems.
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

    /// An accessory is declared there from now on; nil for none.
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

    /// The accessory that is declared there. Where others have the same name and serial number or port it has the place
    /// for an identity: that is the same in the next run, in whichever order they come.
    func description(at place: Place) -> AccessoryDescription? {
        guard var description = declared[place]?.description else { return nil }
        if claims[.identity(description.identity), default: []].count > 1 { description.identity = place.key }
        return description
    }

    /// What has come to be disputed since the last call, or is so among others now; nil for what is not any more. News are
    /// disputes that were none before.
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
                "\(words) declare accessories that are both called \(ShownText.cleaned(identity)), so each is called by "
                    + "its place instead. Give each a \"port\" or a \"serial\" of its own.")
        case .node(let path):
            return DeviceError(
                .invalidConfiguration,
                "\(words) both declare \(ShownText.cleaned(path)), which only one accessory at a time can be talked to "
                    + "through. Take it out of one of them.")
        }
    }
}
