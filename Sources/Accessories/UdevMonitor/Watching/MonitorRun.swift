// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Logging
import SystemCalls
import UdevRecords

/// The work of a monitor's thread: opens the connection, takes messages in, and starts over when something is lost.
///
/// Lives on that thread.
final class MonitorRun {
    /// Seconds between lines in the log about lost messages.
    static let overflowLogInterval = 60.0
    /// Failures in a row after which the connection is opened anew.
    static let mostFailures = 16
    /// Seconds before a connection that has failed is opened again, at first.
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
    /// True while messages may not come though the connection could be opened: until the first comes.
    private var isMute = false
    /// True when the devices could not be listed: they are to be looked through again.
    private var isIncomplete = false
    private var failures = 0
    private var backoff: Backoff
    /// Between looks at udevd's socket while nobody listens there.
    private var patience: Backoff
    /// When all devices are looked through though nothing has been heard of them.
    private var scanAt = BootTime.never
    private var loggedOverflowAt: BootTime?
    /// What is wrong now, and has been told.
    private var problems: [Concern: DeviceError] = [:]

    /// What can be wrong by itself.
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
                // The error is taken away by reading, or else by asking for it.
                takeIn(isError: errors & Int16(POLLERR) != 0)
            }
            // Also when messages come without end.
            if scanAt != .never, !control.isStopped, parts.clock.now >= scanAt { look() }
        }
    }

    /// The time has come to look though nothing has been heard.
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

    /// Sets when to look next.
    private func rest() {
        scanAt = .never
        if connection?.descriptor == nil || isMute { scanAt = after(max(parts.options.scanInterval, 0.1)) }
        if isIncomplete { scanAt = min(scanAt, after(backoff.take())) }
        if watch.isRefused { scanAt = min(scanAt, after(patience.take())) }
    }

    private func after(_ seconds: Double) -> BootTime { parts.clock.now.advanced(bySeconds: seconds) }

    // MARK: The connection

    /// Opens a connection to whom there is now, and looks through all devices: what changes from here on is in its
    /// messages.
    private func open() {
        group = watch.group
        isMute = !parts.options.reach.covers(group)
        isIncomplete = false
        // The former one goes when the new one hears already.
        let former = connection
        do throws(DeviceError) {
            let opened = try connect(group)
            connection = opened
            control.count { $0.group = group }
            failures = 0
            hasLost = false
            // All of it before the devices: who waits for the snapshot then knows what may be missing there.
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

    /// The descriptor is of no use any more: after a while a new one is opened.
    private func lose() {
        connection = nil
        scanAt = after(backoff.take())
    }

    /// Looks through all devices and tells what is news; when they cannot be listed, that is done again later.
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

    /// Tells what is there before anything else, once.
    private func tellSnapshot() {
        guard !hasSnapshot else { return }
        hasSnapshot = true
        hand(.snapshot(table.all))
    }

    // MARK: Messages

    /// Waits for messages, for udevd, for the end or for the time to look. What poll says of the connection, and whether
    /// something has happened to udevd's control socket.
    private func wait() -> (messages: Int16, errors: Int16, isControl: Bool) {
        var descriptors = (
            pollfd(fd: control.wakeUp.readEnd, events: Int16(POLLIN), revents: 0),
            pollfd(fd: connection?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)
        )
        var milliseconds: Int32 = -1
        if scanAt != .never {
            // Rounded up, so that the time has come when the wait ends.
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

    /// Takes in all messages there are. When some were lost, looks through all devices after the last of those that
    /// were not: the kernel drops messages until it has none left.
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
                // A message for others looks like none.
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

    // MARK: Telling

    private func hand(_ event: UdevEvent) { hand([event]) }

    private func hand(_ events: [UdevEvent]) {
        for event in events where !control.isStopped { receive(event) }
    }

    /// Tells what is wrong with something, and what is not any more, when that is news.
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
            watch.isRefused ? "nobody listens at \(control)" : "there is no \(control)")
        if MonitorProblem.saysRules.isFirst() { log.notice("\(problem)") }
        set(problem, for: .rules)
    }

    private func noteMissingMessages() {
        if MonitorProblem.saysReach.isFirst() { log.notice("\(MonitorProblem.withoutMessages)") }
        set(MonitorProblem.withoutMessages, for: .reach)
    }
}
