// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Logging
import SystemCalls

/// The main loop of a monitor. Opens the connection, processes messages, and rescans the devices when messages are
/// lost. Runs only on the monitor's thread.
final class MonitorLoop {
    /// The minimum time between log entries about lost messages, in seconds.
    static let overflowLogInterval = 60.0
    /// The number of consecutive failures after which the monitor reopens the connection.
    static let maximumFailures = 16
    /// The initial delay before reopening a failed connection, in seconds.
    static let initialRetryDelay = 0.1

    private let dependencies: MonitorDependencies
    private let control: MonitorControl
    private let connect: @Sendable (UdevGroup) throws(DeviceError) -> any UdevConnection
    private let receive: @Sendable (UdevEvent) -> Void
    private let controlSocketWatcher: ControlSocketWatcher

    private var table: DeviceTable
    private var connection: (any UdevConnection)?
    private var group = UdevGroup.kernel
    private var hasSnapshot = false
    private var hasLostMessages = false
    /// True if it is uncertain whether messages can reach this process's namespaces. The first message sets it to
    /// false.
    private var mayBeUnreachable = false
    private var needsRescan = false
    private var failures = 0
    private var backoff: Backoff
    /// The delays between probes of udevd's control socket. The socket is probed while it exists but no process listens
    /// on it.
    private var probeBackoff: Backoff
    /// The time of the next scan or probe, which takes place even if messages keep arriving.
    private var nextScan = BootTime.never
    private var loggedOverflowAt: BootTime?
    private var problems: [ProblemKind: DeviceError] = [:]

    /// The kind of problem. At most one problem of each kind exists at a time.
    private enum ProblemKind: CaseIterable { case connection, messages, rules, reachability, listing, deviceCount }

    init(
        dependencies: MonitorDependencies, control: MonitorControl,
        connect: @escaping @Sendable (UdevGroup) throws(DeviceError) -> any UdevConnection,
        receive: @escaping @Sendable (UdevEvent) -> Void
    ) {
        (self.dependencies, self.control, self.connect, self.receive) = (dependencies, control, connect, receive)
        controlSocketWatcher = ControlSocketWatcher(dependencies.options.controlSocketPath)
        table = DeviceTable(limit: dependencies.options.maximumDevices)
        backoff = Backoff(first: Self.initialRetryDelay, limit: dependencies.options.scanInterval)
        probeBackoff = Backoff(first: Self.initialRetryDelay, limit: dependencies.options.scanInterval)
    }

    func run() {
        open()
        while !control.isStopped {
            let (messages, errors, isControl) = wait()
            control.count { $0.wakeUps += 1 }
            if control.isStopped { return }
            if isControl {
                controlSocketWatcher.rearm()
                probeBackoff.reset()
            }
            if controlSocketWatcher.group != group {
                open()
                continue
            }
            if isControl, controlSocketWatcher.isRefused { nextScan = min(nextScan, after(probeBackoff.nextDelay())) }
            if errors & Int16(POLLNVAL | POLLHUP) != 0, messages == 0 {
                discardConnection()
            } else if messages != 0 || errors != 0 {
                // Clears POLLERR, either by reading from the socket or by reading SO_ERROR.
                processMessages(isError: errors & Int16(POLLERR) != 0)
            }
            // The scan takes place even if messages keep arriving.
            if nextScan != .never, !control.isStopped, dependencies.clock.now >= nextScan { performDueScan() }
        }
    }

    private func performDueScan() {
        if controlSocketWatcher.isRefused { controlSocketWatcher.probe() }
        if connection?.descriptor == nil || controlSocketWatcher.group != group {
            open()
        } else if mayBeUnreachable || needsRescan {
            scan()
        } else {
            scheduleNextScan()
        }
    }

    private func scheduleNextScan() {
        nextScan = .never
        if connection?.descriptor == nil || mayBeUnreachable {
            nextScan = after(max(dependencies.options.scanInterval, 0.1))
        }
        if needsRescan { nextScan = min(nextScan, after(backoff.nextDelay())) }
        if controlSocketWatcher.isRefused { nextScan = min(nextScan, after(probeBackoff.nextDelay())) }
    }

    private func after(_ seconds: Double) -> BootTime { dependencies.clock.now.advanced(bySeconds: seconds) }

    // MARK: Connection

    private func open() {
        group = controlSocketWatcher.group
        mayBeUnreachable = !dependencies.options.reachableGroups.includes(group)
        needsRescan = false
        // The previous connection stays open until the new one is receiving messages.
        let former = connection
        do throws(DeviceError) {
            let opened = try connect(group)
            connection = opened
            control.count { $0.group = group }
            failures = 0
            hasLostMessages = false
            // Problems are reported before the snapshot, so that subscribers that wait for the snapshot know whether it
            // is complete.
            let receivesMessages = opened.descriptor != nil
            updateProblem(nil, for: .connection)
            updateProblem(opened.problem, for: .messages)
            if receivesMessages, group == .kernel, dependencies.options.expectsRules {
                reportMissingRules()
            } else {
                updateProblem(nil, for: .rules)
            }
            if receivesMessages, mayBeUnreachable {
                reportUnreachableMessages()
            } else {
                updateProblem(nil, for: .reachability)
            }
            scan()
        } catch {
            connection = nil
            updateProblem(error, for: .connection)
            deliverSnapshot()
        }
        withExtendedLifetime(former) {}
        scheduleNextScan()
    }

    private func discardConnection() {
        connection = nil
        nextScan = after(backoff.nextDelay())
    }

    private func scan() {
        guard let connection else { return }
        defer { scheduleNextScan() }
        needsRescan = false
        control.count { $0.scans += 1 }
        do throws(DeviceError) {
            let devices = try connection.devices()
            updateProblem(nil, for: .listing)
            let changes = table.resynchronise(devices)
            if hasSnapshot { deliver(changes) }
        } catch {
            needsRescan = true
            updateProblem(error, for: .listing)
        }
        reportIfFull()
        deliverSnapshot()
    }

    private func deliverSnapshot() {
        guard !hasSnapshot else { return }
        hasSnapshot = true
        if problems.isEmpty { deliver(.problems([])) }
        deliver(.snapshot(table.all))
    }

    // MARK: Messages

    /// Waits for messages, a change to the control socket or the time of the next scan. Returns the connection's poll
    /// events. `isControl` is true if the control socket has changed.
    private func wait() -> (messages: Int16, errors: Int16, isControl: Bool) {
        var descriptors = (
            pollfd(fd: control.wakeUp.readEnd, events: Int16(POLLIN), revents: 0),
            pollfd(fd: connection?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: controlSocketWatcher.descriptor, events: Int16(POLLIN), revents: 0)
        )
        var milliseconds: Int32 = -1
        if nextScan != .never {
            // Rounds up, so that the scan is already due when poll(2) returns.
            let remaining = max(0, nextScan.seconds(since: dependencies.clock.now))
            milliseconds = Int32(min((remaining * 1000).rounded(.up), 86_400_000))
        }
        let ready = withUnsafeMutablePointer(to: &descriptors) { pointer in
            pointer.withMemoryRebound(to: pollfd.self, capacity: 3) { poll($0, 3, milliseconds) }
        }
        guard ready > 0 else { return (0, 0, false) }
        if descriptors.0.revents != 0 { control.wakeUp.drain() }
        let state = descriptors.1.revents
        return (state & Int16(POLLIN), state & Int16(POLLERR | POLLHUP | POLLNVAL), descriptors.2.revents != 0)
    }

    /// Receives all available messages. If messages were lost, scans the devices afterwards. The buffer must be emptied
    /// first, because the kernel drops messages while it is full.
    private func processMessages(isError: Bool) {
        guard let connection, let descriptor = connection.descriptor else { return }
        if isError, Sockets.clearPendingError(descriptor) == ENOBUFS { recordOverflow() }
        messages: while !control.isStopped {
            switch connection.receive() {
            case .updated(let record, let isAdd, let exists):
                count()
                deliver(table.update(record, isAdd: isAdd, exists: exists))
                reportIfFull()
            case .moved(let former, let record):
                count()
                deliver(table.remove(former) + table.update(record, isAdd: true, exists: true))
            case .removed(let path):
                count()
                deliver(table.remove(path))
            case .overflow: recordOverflow()
            case .tooLong:
                control.count { $0.unusable += 1 }
                hasLostMessages = true
            case .foreign: break
            case .unusable: control.count { $0.unusable += 1 }
            case .none:
                // libudev returns the same result for an empty buffer as for a message that it filtered out. After a
                // loss, checking the socket itself shows whether the buffer is empty.
                if !hasLostMessages || !Sockets.isReadable(descriptor) { break messages }
            case .failed:
                failures += 1
                if failures >= Self.maximumFailures { return discardConnection() }
                break messages
            }
        }
        guard hasLostMessages, !control.isStopped else { return }
        hasLostMessages = false
        scan()
    }

    private func count() {
        control.count { $0.messages += 1 }
        failures = 0
        backoff.reset()
        guard mayBeUnreachable else { return }
        mayBeUnreachable = false
        updateProblem(nil, for: .reachability)
        if !needsRescan { scheduleNextScan() }
    }

    private func recordOverflow() {
        control.count { $0.overflows += 1 }
        hasLostMessages = true
        let now = dependencies.clock.now
        if let last = loggedOverflowAt, now.seconds(since: last) < Self.overflowLogInterval { return }
        loggedOverflowAt = now
        dependencies.log.notice("\(MonitorProblem.overflow)")
    }

    // MARK: Events

    private func deliver(_ event: UdevEvent) { deliver([event]) }

    private func deliver(_ events: [UdevEvent]) { for event in events where !control.isStopped { receive(event) } }

    /// Sets the problem of the given kind, or removes it if `problem` is `nil`. Reports the problems if they change.
    private func updateProblem(_ problem: DeviceError?, for kind: ProblemKind) {
        guard problems[kind]?.message != problem?.message else { return }
        problems[kind] = problem
        // Missing rules and unreachable messages affect all monitors, so they are logged only once per process.
        if let problem, kind != .rules, kind != .reachability { dependencies.log.warning("\(problem)") }
        deliver(.problems(ProblemKind.allCases.compactMap { problems[$0] }))
    }

    private func reportIfFull() {
        updateProblem(
            table.hasOmittedDevices ? MonitorProblem.tooMany(dependencies.options.maximumDevices) : nil,
            for: .deviceCount)
    }

    private func reportMissingRules() {
        let control = dependencies.options.controlSocketPath
        let problem = MonitorProblem.withoutRules(
            controlSocketWatcher.isRefused ? "no process listens on \(control)" : "\(control) does not exist")
        if MonitorProblem.rulesLogOnce.shouldLog() { dependencies.log.notice("\(problem)") }
        updateProblem(problem, for: .rules)
    }

    private func reportUnreachableMessages() {
        if MonitorProblem.reachLogOnce.shouldLog() { dependencies.log.notice("\(MonitorProblem.withoutMessages)") }
        updateProblem(MonitorProblem.withoutMessages, for: .reachability)
    }
}
