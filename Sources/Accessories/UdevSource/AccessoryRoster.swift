// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import UdevRecords

/// Decides when an accessory is told of: parts of a device come one by one, and nodes may be late. Pure, but for the
/// question whether a node can be reached.
struct AccessoryRoster {
    /// What is to be done, in that order. Accessories have the path of their device for a key.
    enum Action {
        case attach(String, AccessoryDescription)
        case change(String, AccessoryDescription)
        case detach(String)
        /// The nodes of those protocols are gone.
        case endChannels(String, Set<String>)
        /// Ask again at that time, in place of the time that was said before; nil for never.
        case wake(String, BootTime?)
        /// For people who look after the machine; once.
        case remark(String)
        /// Something is wrong with that accessory; nil when it is not any more.
        case problem(String, DeviceError?)
    }

    private struct Entry {
        var announced: AccessoryDescription?
        var attachment: String
        /// When the news began that have not been told of.
        var began: BootTime?
        var due: BootTime?
        /// How often its nodes were looked for.
        var tries = 0
        var hasProblem = false
    }

    /// How often a node that udevd does not look after is looked for, and at which interval in seconds: ten times in two
    /// seconds.
    static let maximumTries = 10
    static let interval = 0.2
    /// A device that always has news is told of after that many settle times.
    private static let patience = 10.0

    private var tree: AccessoryTree
    private let settleTime: Double
    private let reach: @Sendable (String) -> NodeReach
    private var entries: [String: Entry] = [:]
    private var said: Set<String> = []
    /// What accessories say of themselves, and the identity that they were given.
    private var identities: [String: (own: String, given: String)] = [:]

    init(rules: [AccessoryRule], settleTime: Double, reach: @escaping @Sendable (String) -> NodeReach) {
        tree = AccessoryTree(rules: rules)
        self.settleTime = settleTime
        self.reach = reach
    }

    /// Parts of devices that could be accessories.
    var candidates: [AccessoryCandidate] { tree.devices.flatMap { tree.survey(of: $0).candidates } }

    /// All devices there are. What is here already has settled.
    mutating func snapshot(_ records: [UdevRecord], now: BootTime) -> [Action] {
        var roots = Set(entries.keys)
        tree.removeAll()
        for record in records {
            if let root = tree.put(record) { roots.insert(root) }
        }
        var actions: [Action] = []
        // First those that are gone: what was called so before may be plugged in elsewhere now.
        let gone = roots.filter { tree.survey(of: $0).description == nil }
        for root in gone.sorted() + roots.subtracting(gone).sorted() { look(root, now: now, settles: false, &actions) }
        return actions
    }

    /// A device is there, or is described otherwise.
    mutating func added(_ record: UdevRecord, now: BootTime) -> [Action] { news(of: tree.put(record), now: now) }

    /// A device is gone.
    mutating func removed(_ record: UdevRecord, now: BootTime) -> [Action] { news(of: tree.remove(record), now: now) }

    private mutating func news(of root: String?, now: BootTime) -> [Action] {
        var actions: [Action] = []
        if let root { look(root, now: now, settles: true, &actions) }
        return actions
    }

    /// The time has come that `wake` said.
    mutating func woken(_ root: String, now: BootTime) -> [Action] {
        var actions: [Action] = []
        // The time may have been put off while the timer ran.
        guard let entry = entries[root], let due = entry.due, due <= now else { return [] }
        settle(root, survey(of: root), now: now, &actions)
        return actions
    }

    private mutating func look(_ root: String, now: BootTime, settles: Bool, _ actions: inout [Action]) {
        if let attachment = entries[root]?.attachment, attachment != tree.survey(of: root).attachment {
            forget(root, &actions)
        }
        let survey = self.survey(of: root)
        for remark in survey.remarks where said.count < 1000 && said.insert(remark).inserted {
            actions.append(.remark(remark))
        }
        guard let description = survey.description else { return forget(root, &actions) }
        var entry = entries[root] ?? Entry(attachment: survey.attachment)
        if let announced = entry.announced {
            let gone = announced.protocols.filter { former in
                description.named(former.name)?.node?.path != former.node?.path
            }
            if !gone.isEmpty { actions.append(.endChannels(root, Set(gone.map(\.name)))) }
            if announced == description {
                if entry.due != nil { actions.append(.wake(root, nil)) }
                entry.due = nil
                entry.began = nil
                entries[root] = entry
                return
            }
        }
        entry.tries = 0
        guard settles, settleTime > 0 else {
            entries[root] = entry
            return settle(root, survey, now: now, &actions)
        }
        let began = entry.began ?? now
        let due = min(now.advanced(bySeconds: settleTime), began.advanced(bySeconds: settleTime * Self.patience))
        entry.began = began
        entry.due = due
        entries[root] = entry
        actions.append(.wake(root, due))
    }

    /// Tells of the accessory as it is now, unless its nodes have to be waited for.
    private mutating func settle(
        _ root: String, _ survey: AccessorySurvey, now: BootTime, _ actions: inout [Action]
    ) {
        guard var entry = entries[root], var description = survey.description else { return }
        let states = survey.unattendedNodes.map { (path: $0, reach: reach($0)) }
        let late = states.filter { $0.reach != .ready }.sorted { $0.path < $1.path }
        if let first = late.first {
            entry.tries += 1
            if entry.tries < Self.maximumTries {
                let due = now.advanced(bySeconds: Self.interval)
                entry.due = due
                entries[root] = entry
                return actions.append(.wake(root, due))
            }
            // What is there and may not be opened is told of all the same: opening it says why it cannot be.
            let missing = Set(late.filter { $0.reach == .missing }.map(\.path))
            description.protocols.removeAll { $0.node.map { missing.contains($0.path) } ?? false }
            actions.append(.problem(root, Self.isLate(first.path, first.reach, description)))
            entry.hasProblem = true
        } else if entry.hasProblem {
            entry.hasProblem = false
            actions.append(.problem(root, nil))
        }
        entry.began = nil
        if entry.due != nil { actions.append(.wake(root, nil)) }
        entry.due = nil
        let former = entry.announced
        entry.announced = description.protocols.isEmpty ? nil : description
        entries[root] = entry
        if description.protocols.isEmpty {
            if former != nil { actions.append(.detach(root)) }
        } else if former == nil {
            actions.append(.attach(root, description))
        } else if former != description {
            actions.append(.change(root, description))
        }
    }

    /// What is made of a device, and its identity such that no other one that is attached has it.
    private mutating func survey(of root: String) -> AccessorySurvey {
        var survey = tree.survey(of: root)
        guard let description = survey.description else { return survey }
        let own = description.identity
        if identities[root]?.own != own {
            identities[root] = nil
            let other = identities.first { $0.value.given == own }
            let given = other == nil ? own : description.portIdentity
            identities[root] = (own, given)
            if let other {
                survey.remarks.append(
                    "The accessories at \(other.key) and \(root) both say that they are \(own). The second one is called "
                        + "\(given) until it is unplugged.")
            }
        }
        survey.description?.identity = identities[root]?.given ?? own
        return survey
    }

    private mutating func forget(_ root: String, _ actions: inout [Action]) {
        identities[root] = nil
        guard let entry = entries.removeValue(forKey: root) else { return }
        if entry.due != nil { actions.append(.wake(root, nil)) }
        if entry.hasProblem { actions.append(.problem(root, nil)) }
        if entry.announced != nil { actions.append(.detach(root)) }
    }

    private static func isLate(_ path: String, _ reach: NodeReach, _ description: AccessoryDescription) -> DeviceError {
        switch reach {
        case .forbidden:
            DeviceError(
                .permissionDenied,
                "\(path) of the accessory \(description.identity) may not be opened by this user, and no udevd runs that "
                    + "would change that. Give it another group or mode, as with mdev.conf.")
        default:
            DeviceError(
                .notFound,
                "The accessory \(description.identity) is plugged in, and its node \(path) does not exist. Mount "
                    + "devtmpfs, run udevd or mdev, or let the container see the node.")
        }
    }
}
