// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore

/// Decides when to report a detected accessory. An accessory cannot always be reported immediately, because a device's
/// parts appear one by one, and nodes may be created late. This structure makes no system calls other than checking
/// whether nodes can be opened.
struct AccessoryTracker {
    /// An action for the owner to perform. Actions must be performed in order. An accessory is identified by its
    /// device's path.
    enum Action {
        case attach(String, AccessoryDescription)
        case change(String, AccessoryDescription)
        case detach(String)
        /// Ends the channels of these protocols, because their nodes have been removed.
        case endChannels(String, Set<String>)
        /// Schedules a call to `timerFired`, and cancels any call already scheduled for the same key. If the time is
        /// `nil`, schedules no new call.
        case scheduleTimer(String, BootTime?)
        /// Logs a message for the administrator. Each message is logged only once.
        case logWarning(String)
        /// Sets an accessory's problem. `nil` removes the problem.
        case problem(String, DeviceError?)
    }

    private struct Entry {
        var reported: AccessoryDescription?
        var attachment: String
        var firstChange: BootTime?
        var due: BootTime?
        var attempts = 0
        /// True if a node is missing or cannot be opened, and this problem has been reported.
        var hasProblem = false
    }

    /// The maximum number of checks of a node that udevd has not initialized, and the interval between them, in
    /// seconds. Together, they limit the wait to about 2 s.
    static let maximumAttempts = 10
    static let attemptInterval = 0.2
    /// The maximum delay before an accessory is reported, as a multiple of the settle time. Matters only if a device
    /// keeps changing.
    private static let maximumDelayFactor = 10.0

    private var tree: AccessoryTree
    private let settleTime: Double
    private let checkAccess: @Sendable (String) -> NodeAccess
    private var entries: [String: Entry] = [:]
    private var loggedWarnings: Set<String> = []
    /// The identities of accessories, keyed by device path. `detected` is derived from the accessory's own data.
    /// `assigned` is unique and is the one reported.
    private var identities: [String: (detected: String, assigned: String)] = [:]

    init(rules: [AccessoryRule], settleTime: Double, checkAccess: @escaping @Sendable (String) -> NodeAccess) {
        tree = AccessoryTree(rules: rules)
        self.settleTime = settleTime
        self.checkAccess = checkAccess
    }

    var candidates: [AccessoryCandidate] { tree.devices.flatMap { tree.detection(at: $0).candidates } }

    /// Reports a snapshot's accessories without waiting for the settle time.
    mutating func snapshot(_ records: [UdevRecord], now: BootTime) -> [Action] {
        var roots = Set(entries.keys)
        tree.removeAll()
        for record in records {
            if let root = tree.insert(record) { roots.insert(root) }
        }
        var actions: [Action] = []
        // A device may have moved to a different port and kept its identity, so removed accessories are processed
        // first.
        let removed = roots.filter { tree.detection(at: $0).description == nil }
        for root in removed.sorted() + roots.subtracting(removed).sorted() {
            evaluate(root, now: now, waits: false, &actions)
        }
        return actions
    }

    mutating func added(_ record: UdevRecord, now: BootTime) -> [Action] { update(tree.insert(record), now: now) }

    mutating func removed(_ record: UdevRecord, now: BootTime) -> [Action] { update(tree.remove(record), now: now) }

    private mutating func update(_ root: String?, now: BootTime) -> [Action] {
        var actions: [Action] = []
        if let root { evaluate(root, now: now, waits: true, &actions) }
        return actions
    }

    mutating func timerFired(_ root: String, now: BootTime) -> [Action] {
        var actions: [Action] = []
        // Ignores a timer that fired just before the due time was postponed.
        guard let entry = entries[root], let due = entry.due, due <= now else { return [] }
        report(root, detection(of: root), now: now, &actions)
        return actions
    }

    private mutating func evaluate(_ root: String, now: BootTime, waits: Bool, _ actions: inout [Action]) {
        if let attachment = entries[root]?.attachment, attachment != tree.detection(at: root).attachmentToken {
            remove(root, &actions)
        }
        let detection = self.detection(of: root)
        for warning in detection.warnings where loggedWarnings.count < 1000 && loggedWarnings.insert(warning).inserted {
            actions.append(.logWarning(warning))
        }
        guard let description = detection.description else { return remove(root, &actions) }
        var entry = entries[root] ?? Entry(attachment: detection.attachmentToken)
        if let reported = entry.reported {
            let removed = reported.protocols.filter { former in
                description.accessoryProtocol(named: former.name)?.node?.path != former.node?.path
            }
            if !removed.isEmpty { actions.append(.endChannels(root, Set(removed.map(\.name)))) }
            if reported == description {
                // Access to a node may have changed, even though the description has not.
                if entry.hasProblem, pendingNodes(of: detection).isEmpty {
                    removeProblem(of: root, &entry, &actions)
                }
                if entry.due != nil { actions.append(.scheduleTimer(root, nil)) }
                entry.due = nil
                entry.firstChange = nil
                entries[root] = entry
                return
            }
        }
        entry.attempts = 0
        guard waits, settleTime > 0 else {
            entries[root] = entry
            return report(root, detection, now: now, &actions)
        }
        let firstChange = entry.firstChange ?? now
        let due = min(
            now.advanced(bySeconds: settleTime), firstChange.advanced(bySeconds: settleTime * Self.maximumDelayFactor))
        entry.firstChange = firstChange
        entry.due = due
        entries[root] = entry
        actions.append(.scheduleTimer(root, due))
    }

    private mutating func report(
        _ root: String, _ detection: AccessoryDetection, now: BootTime, _ actions: inout [Action]
    ) {
        guard var entry = entries[root], var description = detection.description else { return }
        let pending = pendingNodes(of: detection)
        if let first = pending.first {
            entry.attempts += 1
            if entry.attempts < Self.maximumAttempts {
                let due = now.advanced(bySeconds: Self.attemptInterval)
                entry.due = due
                entries[root] = entry
                return actions.append(.scheduleTimer(root, due))
            }
            // Removes only the protocols whose nodes are missing. A protocol stays if its node exists but cannot be
            // opened; an app that tries to open that node receives the reason.
            let missing = Set(pending.filter { $0.access == .missing }.map(\.path))
            description.protocols.removeAll { $0.node.map { missing.contains($0.path) } ?? false }
            actions.append(.problem(root, Self.nodeProblem(first.path, first.access, description)))
            entry.hasProblem = true
        } else {
            removeProblem(of: root, &entry, &actions)
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

    /// Returns the nodes that udevd has not initialized and that this user cannot open yet, in order of path.
    private func pendingNodes(of detection: AccessoryDetection) -> [(path: String, access: NodeAccess)] {
        let states = detection.uninitializedNodes.map { (path: $0, access: checkAccess($0)) }
        return states.filter { $0.access != .ready }.sorted { $0.path < $1.path }
    }

    private func removeProblem(of root: String, _ entry: inout Entry, _ actions: inout [Action]) {
        guard entry.hasProblem else { return }
        entry.hasProblem = false
        actions.append(.problem(root, nil))
    }

    /// Detects a device's accessory. Assigns a different identity if another attached device has the same one.
    private mutating func detection(of root: String) -> AccessoryDetection {
        var detection = tree.detection(at: root)
        guard let description = detection.description else { return detection }
        let detected = description.identity
        if identities[root]?.detected != detected {
            identities[root] = nil
            let other = identities.first { $0.value.assigned == detected }
            let assigned = other == nil ? detected : description.portIdentity
            identities[root] = (detected, assigned)
            if let other {
                detection.warnings.append(
                    "The accessories at \(other.key) and \(root) have the same identity \(detected). The second one has "
                        + "the identity \(assigned) until it is unplugged.")
            }
        }
        detection.description?.identity = identities[root]?.assigned ?? detected
        return detection
    }

    private mutating func remove(_ root: String, _ actions: inout [Action]) {
        identities[root] = nil
        guard var entry = entries.removeValue(forKey: root) else { return }
        if entry.due != nil { actions.append(.scheduleTimer(root, nil)) }
        removeProblem(of: root, &entry, &actions)
        if entry.reported != nil { actions.append(.detach(root)) }
    }

    private static func nodeProblem(_ path: String, _ access: NodeAccess, _ description: AccessoryDescription)
        -> DeviceError
    {
        switch access {
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
