// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore

/// Determines when to report a detected accessory. The parts of a device appear one by one, and nodes may be created
/// late. Makes no system calls except to check whether nodes can be opened.
struct AccessoryTracker {
    /// The actions to perform, in order. The key of an accessory is the path of its device.
    enum Action {
        case attach(String, AccessoryDescription)
        case change(String, AccessoryDescription)
        case detach(String)
        /// Ends the channels of these protocols because their nodes have been removed.
        case endChannels(String, Set<String>)
        /// Schedules a call to `timerFired`, replacing any call scheduled for the same key. A time of `nil` cancels the
        /// call.
        case scheduleTimer(String, BootTime?)
        /// Logs a message for the administrator. Each message is logged only once.
        case logWarning(String)
        /// Sets the problem of an accessory. A value of `nil` removes the problem.
        case problem(String, DeviceError?)
    }

    private struct Entry {
        var reported: AccessoryDescription?
        var attachment: String
        var firstChange: BootTime?
        var due: BootTime?
        var attempts = 0
        var hasProblem = false
    }

    /// The maximum number of checks for a node that udevd does not manage, and the interval between checks in seconds.
    /// Together they limit the wait to about 2 s.
    static let maximumAttempts = 10
    static let attemptInterval = 0.2
    /// The maximum delay before a continuously changing device is reported, as a multiple of the settle time.
    private static let maximumDelayFactor = 10.0

    private var tree: AccessoryTree
    private let settleTime: Double
    private let checkAccess: @Sendable (String) -> NodeAccess
    private var entries: [String: Entry] = [:]
    private var loggedRemarks: Set<String> = []
    /// The identities, keyed by device. `own` is derived from the accessory's data. `given` is the unique identity that
    /// is reported.
    private var identities: [String: (own: String, given: String)] = [:]

    init(rules: [AccessoryRule], settleTime: Double, reach: @escaping @Sendable (String) -> NodeAccess) {
        tree = AccessoryTree(rules: rules)
        self.settleTime = settleTime
        self.checkAccess = reach
    }

    var candidates: [AccessoryCandidate] { tree.devices.flatMap { tree.detection(at: $0).candidates } }

    /// Reports the accessories of a snapshot without waiting for the settle time.
    mutating func snapshot(_ records: [UdevRecord], now: BootTime) -> [Action] {
        var roots = Set(entries.keys)
        tree.removeAll()
        for record in records {
            if let root = tree.insert(record) { roots.insert(root) }
        }
        var actions: [Action] = []
        // Removed accessories come first, because a device may have moved to a different port and kept its identity.
        let gone = roots.filter { tree.detection(at: $0).description == nil }
        for root in gone.sorted() + roots.subtracting(gone).sorted() {
            evaluate(root, now: now, settles: false, &actions)
        }
        return actions
    }

    mutating func added(_ record: UdevRecord, now: BootTime) -> [Action] { update(tree.insert(record), now: now) }

    mutating func removed(_ record: UdevRecord, now: BootTime) -> [Action] { update(tree.remove(record), now: now) }

    private mutating func update(_ root: String?, now: BootTime) -> [Action] {
        var actions: [Action] = []
        if let root { evaluate(root, now: now, settles: true, &actions) }
        return actions
    }

    mutating func timerFired(_ root: String, now: BootTime) -> [Action] {
        var actions: [Action] = []
        // The timer may have been postponed after it had fired.
        guard let entry = entries[root], let due = entry.due, due <= now else { return [] }
        report(root, survey(of: root), now: now, &actions)
        return actions
    }

    private mutating func evaluate(_ root: String, now: BootTime, settles: Bool, _ actions: inout [Action]) {
        if let attachment = entries[root]?.attachment, attachment != tree.detection(at: root).attachmentToken {
            remove(root, &actions)
        }
        let survey = self.survey(of: root)
        for remark in survey.warnings where loggedRemarks.count < 1000 && loggedRemarks.insert(remark).inserted {
            actions.append(.logWarning(remark))
        }
        guard let description = survey.description else { return remove(root, &actions) }
        var entry = entries[root] ?? Entry(attachment: survey.attachmentToken)
        if let announced = entry.reported {
            let gone = announced.protocols.filter { former in
                description.accessoryProtocol(named: former.name)?.node?.path != former.node?.path
            }
            if !gone.isEmpty { actions.append(.endChannels(root, Set(gone.map(\.name)))) }
            if announced == description {
                if entry.due != nil { actions.append(.scheduleTimer(root, nil)) }
                entry.due = nil
                entry.firstChange = nil
                entries[root] = entry
                return
            }
        }
        entry.attempts = 0
        guard settles, settleTime > 0 else {
            entries[root] = entry
            return report(root, survey, now: now, &actions)
        }
        let began = entry.firstChange ?? now
        let due = min(
            now.advanced(bySeconds: settleTime), began.advanced(bySeconds: settleTime * Self.maximumDelayFactor))
        entry.firstChange = began
        entry.due = due
        entries[root] = entry
        actions.append(.scheduleTimer(root, due))
    }

    private mutating func report(
        _ root: String, _ survey: AccessoryDetection, now: BootTime, _ actions: inout [Action]
    ) {
        guard var entry = entries[root], var description = survey.description else { return }
        let states = survey.uninitializedNodes.map { (path: $0, reach: checkAccess($0)) }
        let late = states.filter { $0.reach != .ready }.sorted { $0.path < $1.path }
        if let first = late.first {
            entry.attempts += 1
            if entry.attempts < Self.maximumAttempts {
                let due = now.advanced(bySeconds: Self.attemptInterval)
                entry.due = due
                entries[root] = entry
                return actions.append(.scheduleTimer(root, due))
            }
            // A node that exists but cannot be opened is still reported, because an attempt to open the node returns
            // the reason.
            let missing = Set(late.filter { $0.reach == .missing }.map(\.path))
            description.protocols.removeAll { $0.node.map { missing.contains($0.path) } ?? false }
            actions.append(.problem(root, Self.nodeProblem(first.path, first.reach, description)))
            entry.hasProblem = true
        } else if entry.hasProblem {
            entry.hasProblem = false
            actions.append(.problem(root, nil))
        }
        entry.firstChange = nil
        if entry.due != nil { actions.append(.scheduleTimer(root, nil)) }
        entry.due = nil
        let former = entry.reported
        entry.reported = description.protocols.isEmpty ? nil : description
        entries[root] = entry
        if description.protocols.isEmpty {
            if former != nil { actions.append(.detach(root)) }
        } else if former == nil {
            actions.append(.attach(root, description))
        } else if former != description {
            actions.append(.change(root, description))
        }
    }

    /// Detects the accessory of a device and makes its identity unique among the attached devices.
    private mutating func survey(of root: String) -> AccessoryDetection {
        var survey = tree.detection(at: root)
        guard let description = survey.description else { return survey }
        let own = description.identity
        if identities[root]?.own != own {
            identities[root] = nil
            let other = identities.first { $0.value.given == own }
            let given = other == nil ? own : description.portIdentity
            identities[root] = (own, given)
            if let other {
                survey.warnings.append(
                    "The accessories at \(other.key) and \(root) have the same identity \(own). The second one has the "
                        + "identity \(given) until it is unplugged.")
            }
        }
        survey.description?.identity = identities[root]?.given ?? own
        return survey
    }

    private mutating func remove(_ root: String, _ actions: inout [Action]) {
        identities[root] = nil
        guard let entry = entries.removeValue(forKey: root) else { return }
        if entry.due != nil { actions.append(.scheduleTimer(root, nil)) }
        if entry.hasProblem { actions.append(.problem(root, nil)) }
        if entry.reported != nil { actions.append(.detach(root)) }
    }

    private static func nodeProblem(_ path: String, _ reach: NodeAccess, _ description: AccessoryDescription)
        -> DeviceError
    {
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
