// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import UdevRecords

/// The state of detected accessories. It determines when an accessory is reported, because the parts of a device are
/// added one by one and its nodes may be created late. It has no side effects, except for checking whether nodes can be
/// opened.
struct AccessoryRoster {
    /// The actions to perform, in order. The key of an accessory is the path of its device.
    enum Action {
        case attach(String, AccessoryDescription)
        case change(String, AccessoryDescription)
        case detach(String)
        /// Ends the channels of these protocols, because their nodes have been removed.
        case endChannels(String, Set<String>)
        /// Calls `woken` at this time, which replaces the previous time of the key; nil cancels it.
        case wake(String, BootTime?)
        /// Logs a message for the administrator. The same message is not repeated.
        case remark(String)
        /// Sets the problem of an accessory; nil if it has been solved.
        case problem(String, DeviceError?)
    }

    private struct Entry {
        var announced: AccessoryDescription?
        var attachment: String
        /// The time of the first change that has not been reported.
        var began: BootTime?
        var due: BootTime?
        /// The number of times that the nodes have been checked.
        var tries = 0
        var hasProblem = false
    }

    /// The maximum number of checks for a node that udevd does not manage, and the interval between them, in seconds.
    /// The checks end after about 2 s.
    static let maximumTries = 10
    static let interval = 0.2
    /// The maximum delay of a report if a device changes continuously, as a multiple of the settle time.
    private static let patience = 10.0

    private var tree: AccessoryTree
    private let settleTime: Double
    private let reach: @Sendable (String) -> NodeReach
    private var entries: [String: Entry] = [:]
    private var said: Set<String> = []
    /// The identity from the accessory's own data and the assigned identity, by device.
    private var identities: [String: (own: String, given: String)] = [:]

    init(rules: [AccessoryRule], settleTime: Double, reach: @escaping @Sendable (String) -> NodeReach) {
        tree = AccessoryTree(rules: rules)
        self.settleTime = settleTime
        self.reach = reach
    }

    /// The devices that could become accessories.
    var candidates: [AccessoryCandidate] { tree.devices.flatMap { tree.survey(of: $0).candidates } }

    /// Processes a list of all devices. Devices in a snapshot are reported without the settle time.
    mutating func snapshot(_ records: [UdevRecord], now: BootTime) -> [Action] {
        var roots = Set(entries.keys)
        tree.removeAll()
        for record in records {
            if let root = tree.put(record) { roots.insert(root) }
        }
        var actions: [Action] = []
        // Processes removed accessories first, because another port may now have a device with the same identity.
        let gone = roots.filter { tree.survey(of: $0).description == nil }
        for root in gone.sorted() + roots.subtracting(gone).sorted() { look(root, now: now, settles: false, &actions) }
        return actions
    }

    /// Processes an added or changed device.
    mutating func added(_ record: UdevRecord, now: BootTime) -> [Action] { news(of: tree.put(record), now: now) }

    /// Processes a removed device.
    mutating func removed(_ record: UdevRecord, now: BootTime) -> [Action] { news(of: tree.remove(record), now: now) }

    private mutating func news(of root: String?, now: BootTime) -> [Action] {
        var actions: [Action] = []
        if let root { look(root, now: now, settles: true, &actions) }
        return actions
    }

    /// Processes a timer that `wake` has requested.
    mutating func woken(_ root: String, now: BootTime) -> [Action] {
        var actions: [Action] = []
        // The time may have been postponed after the timer had fired.
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

    /// Reports the current state of the accessory, unless it has to wait for nodes.
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
            // A node that exists but cannot be opened is reported nevertheless, because opening it returns the reason.
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

    /// Returns the survey of a device, with an identity that is unique among the attached devices.
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
                    "The accessories at \(other.key) and \(root) have the same identity \(own). The second one has the "
                        + "identity \(given) until it is unplugged.")
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
                "This user may not open \(path) of the accessory \(description.identity), and no udevd runs to change "
                    + "its permissions. Set its group or mode, for example in mdev.conf.")
        default:
            DeviceError(
                .notFound,
                "The accessory \(description.identity) is plugged in, but its node \(path) does not exist. Mount "
                    + "devtmpfs, run udevd or mdev, or pass the node to the container.")
        }
    }
}
