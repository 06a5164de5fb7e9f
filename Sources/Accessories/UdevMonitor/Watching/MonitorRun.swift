// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Logging
import SystemCalls
import UdevRecords

/// The main loop of a monitor. It opens the connection, processes messages and rescans the devices after a loss of
/// messages.
///
/// Used only on the monitor's thread.
final class MonitorRun {
    /// The minimum interval between log entries about lost messages, in seconds.
    static let overflowLogInterval = 60.0
    /// The number of consecutive failures after which the connection is reopened.
    static let mostFailures = 16
    /// The initial delay before a failed connection is reopened, in seconds.
    static let firstRetry = 0.1

    private let parts: MonitorParts
    private let control: MonitorControl
    private let connect: @Sendable (UdevGroup) throws(DeviceError) -> any UdevConnection
    private let receive: @Sendable (UdevEvent) -> Void
    private let log = Logger(label: "device-services.udev")
    private let watch: ControlWatch

    private var table: DeviceTable
    private var connection: (any UdevConnection)?
    private var group = UdevGroup.kernel
    private var hasSnapshot = false
    private var hasLost = false
    /// True if messages may not reach this process although the connection is open. Cleared by the first message.
    private var isMute = false
    /// True if enumerating the devices has failed and has to be repeated.
    private var isIncomplete = false
    private var failures = 0
    private var backoff: Backoff
    /// The delays between probes of udevd's control socket while no process listens on it.
    private var patience: Backoff
    /// The time of the next scan or probe, even if no message arrives.
    private var scanAt = BootTime.never
    private var loggedOverflowAt: BootTime?
    /// The current problems, all of which have been reported.
    private var problems: [Concern: DeviceError] = [:]

    /// The subject of a problem. Each subject has at most one problem at a time.
    private enum Concern {
        case connection, messages, reach, rules, listing, number
    }

    init(
        parts: MonitorParts, control: MonitorControl,
        connect: @escaping @Sendable (UdevGroup) throws(DeviceError) -> any UdevConnection,
        receive: @escaping @Sendable (UdevEvent) -> Void
    ) {
        self.parts = parts
        self.control = control
        self.connect = connect
        self.receive = receive
        watch = ControlWatch(parts.options.control)
        table = DeviceTable(limit: parts.options.mostDevices)
        backoff = Backoff(first: Self.firstRetry, limit: parts.options.scanInterval)
        patience = Backoff(first: Self.firstRetry, limit: parts.options.scanInterval)
    }

    func run() {
        open()
        while !control.isStopped {
            let (messages, errors, isControl) = wait()
            control.count { $0.wakeUps += 1 }
            if control.isStopped { return }
            if isControl {
                watch.rearm()
                patience.reset()
            }
            if watch.group != group {
                open()
                continue
            }
            if isControl, watch.isRefused { scanAt = min(scanAt, after(patience.take())) }
            if errors & Int16(POLLNVAL | POLLHUP) != 0, messages == 0 {
                lose()
            } else if messages != 0 || errors != 0 {
                // POLLERR is cleared by reading, or by reading SO_ERROR.
                takeIn(isError: errors & Int16(POLLERR) != 0)
            }
            // Also checked after messages, because they may arrive continuously.
            if scanAt != .never, !control.isStopped, parts.clock.now >= scanAt { look() }
        }
    }

    /// Performs the scan or probe that is due.
    private func look() {
        if watch.isRefused { watch.probe() }
        if connection?.descriptor == nil || watch.group != group {
            open()
        } else if isMute || isIncomplete {
            scan()
        } else {
            rest()
        }
    }

    /// Sets the time of the next scan or probe.
    private func rest() {
        scanAt = .never
        if connection?.descriptor == nil || isMute { scanAt = after(max(parts.options.scanInterval, 0.1)) }
        if isIncomplete { scanAt = min(scanAt, after(backoff.take())) }
        if watch.isRefused { scanAt = min(scanAt, after(patience.take())) }
    }

    private func after(_ seconds: Double) -> BootTime { parts.clock.now.advanced(bySeconds: seconds) }

    // MARK: Connection

    /// Opens a connection to the current message group and scans all devices. Later changes arrive as messages.
    private func open() {
        group = watch.group
        isMute = !parts.options.reach.covers(group)
        isIncomplete = false
        // Closes the previous connection only after the new one receives messages.
        let former = connection
        do throws(DeviceError) {
            let opened = try connect(group)
            connection = opened
            control.count { $0.group = group }
            failures = 0
            hasLost = false
            // Reports problems before the devices, so that a subscriber that waits for the snapshot knows its
            // limitations.
            let hears = opened.descriptor != nil
            set(nil, for: .connection)
            set(opened.problem, for: .messages)
            if hears, group == .kernel, parts.options.expectsRules { noteMissingRules() } else { set(nil, for: .rules) }
            if hears, isMute { noteMissingMessages() } else { set(nil, for: .reach) }
            scan()
        } catch {
            connection = nil
            set(error, for: .connection)
            tellSnapshot()
        }
        withExtendedLifetime(former) {}
        rest()
    }

    /// Discards an unusable connection and schedules a new one.
    private func lose() {
        connection = nil
        scanAt = after(backoff.take())
    }

    /// Scans all devices and reports the changes. Schedules another scan if the devices cannot be enumerated.
    private func scan() {
        guard let connection else { return }
        defer { rest() }
        isIncomplete = false
        control.count { $0.scans += 1 }
        do throws(DeviceError) {
            let devices = try connection.devices()
            set(nil, for: .listing)
            let isNews = hasSnapshot
            let news = table.resynchronise(devices)
            if isNews { hand(news) }
        } catch {
            isIncomplete = true
            set(error, for: .listing)
        }
        tellIfOverfull()
        tellSnapshot()
    }

    /// Reports the snapshot once, before all changes.
    private func tellSnapshot() {
        guard !hasSnapshot else { return }
        hasSnapshot = true
        hand(.snapshot(table.all))
    }

    // MARK: Messages

    /// Waits for messages, a change of udevd's control socket, a stop request or the next scan. Returns the poll events
    /// of the connection, and whether the control socket has changed.
    private func wait() -> (messages: Int16, errors: Int16, isControl: Bool) {
        var descriptors = (
            pollfd(fd: control.wakeUp.readEnd, events: Int16(POLLIN), revents: 0),
            pollfd(fd: connection?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)
        )
        var milliseconds: Int32 = -1
        if scanAt != .never {
            // Rounds up, so that the scan is due when poll() returns.
            let rest = max(0, scanAt.seconds(since: parts.clock.now))
            milliseconds = Int32(min((rest * 1000).rounded(.up), 86_400_000))
        }
        let ready = withUnsafeMutablePointer(to: &descriptors) { pointer in
            pointer.withMemoryRebound(to: pollfd.self, capacity: 3) { poll($0, 3, milliseconds) }
        }
        guard ready > 0 else { return (0, 0, false) }
        if descriptors.0.revents != 0 { control.wakeUp.drain() }
        let state = descriptors.1.revents
        return (state & Int16(POLLIN), state & Int16(POLLERR | POLLHUP | POLLNVAL), descriptors.2.revents != 0)
    }

    /// Processes all available messages. After a loss, scans all devices once the buffer is empty, because the kernel
    /// drops further messages until it has been drained.
    private func takeIn(isError: Bool) {
        guard let connection, let descriptor = connection.descriptor else { return }
        if isError, Sockets.takeError(descriptor) == ENOBUFS { noteOverflow() }
        messages: while !control.isStopped {
            switch connection.receive() {
            case .updated(let record, let isAdd, let exists):
                count()
                hand(table.update(record, isAdd: isAdd, exists: exists))
                tellIfOverfull()
            case .moved(let former, let record):
                count()
                hand(table.remove(former) + table.update(record, isAdd: true, exists: true))
            case .removed(let path):
                count()
                hand(table.remove(path))
            case .overflow: noteOverflow()
            case .tooLong:
                control.count { $0.unusable += 1 }
                hasLost = true
            case .foreign: break
            case .unusable: control.count { $0.unusable += 1 }
            case .none:
                // A message that libudev filters out has the same result as an empty buffer.
                if !hasLost || !Sockets.isReadable(descriptor) { break messages }
            case .failed:
                failures += 1
                if failures >= Self.mostFailures { return lose() }
                break messages
            }
        }
        guard hasLost, !control.isStopped else { return }
        hasLost = false
        scan()
    }

    private func count() {
        control.count { $0.messages += 1 }
        failures = 0
        backoff.reset()
        guard isMute else { return }
        isMute = false
        set(nil, for: .reach)
        if !isIncomplete { rest() }
    }

    private func noteOverflow() {
        control.count { $0.overflows += 1 }
        hasLost = true
        let now = parts.clock.now
        if let last = loggedOverflowAt, now.seconds(since: last) < Self.overflowLogInterval { return }
        loggedOverflowAt = now
        log.notice("\(MonitorProblem.overflow)")
    }

    // MARK: Events

    private func hand(_ event: UdevEvent) { hand([event]) }

    private func hand(_ events: [UdevEvent]) {
        for event in events where !control.isStopped { receive(event) }
    }

    /// Reports a solved problem and a new problem of a subject if the problem has changed.
    private func set(_ problem: DeviceError?, for concern: Concern) {
        let former = problems[concern]
        guard former?.message != problem?.message else { return }
        problems[concern] = problem
        if let former { hand(.solved(former)) }
        if let problem { hand(.problem(problem)) }
    }

    private func tellIfOverfull() {
        set(table.isOverfull ? MonitorProblem.tooMany(parts.options.mostDevices) : nil, for: .number)
    }

    private func noteMissingRules() {
        let control = parts.options.control
        let problem = MonitorProblem.withoutRules(
            watch.isRefused ? "no process listens on \(control)" : "\(control) does not exist")
        if MonitorProblem.saysRules.isFirst() { log.notice("\(problem)") }
        set(problem, for: .rules)
    }

    private func noteMissingMessages() {
        if MonitorProblem.saysReach.isFirst() { log.notice("\(MonitorProblem.withoutMessages)") }
        set(MonitorProblem.withoutMessages, for: .reach)
    }
}
