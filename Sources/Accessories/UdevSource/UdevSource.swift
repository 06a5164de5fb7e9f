// SPDX-License-Identifier: Apache-2.0

public import AccessoryFinding
public import DeviceCore
import Dispatch
import Logging
import Synchronization
import UdevMonitor

/// Accessories as udev tells of them, and those that the configuration or files in a folder declare.
///
/// Watching begins at the first use, not when the source is made. Events arrive on threads of the source's own.
///
/// Names of protocols, for each USB interface by itself, come from the first of these that gives one: a rule of the
/// configuration; the udev property `EXTERNAL_ACCESSORY_PROTOCOLS` of the tty or hidraw, else of the interface, else of
/// the USB device when just one of its interfaces can be opened; the string of the interface when it is a name in reverse
/// DNS. What has none is listed in ``candidates`` with the reason.
public final class UdevSource: AccessoryCandidateSource {
    private enum Message: Sendable {
        case begin
        case udev(UdevEvent)
        case folders
        case due(String)

        var isFolders: Bool {
            if case .folders = self { true } else { false }
        }

        func isDue(_ key: String) -> Bool {
            if case .due(key) = self { true } else { false }
        }
    }

    /// Used by the mailbox only, one message at a time.
    private struct State {
        var roster: AccessoryRoster
        var folders: AccessoryFolders
        var ledger = DeclarationLedger()
        /// What the configuration declares is in the ledger.
        var hasDeclared = false
        var ids: [String: AccessoryDescription.ID] = [:]
        var timers: [String: ClockTimer] = [:]
    }

    private struct Life {
        var hasBegun = false
        var stopWatching: (@Sendable () -> Void)?
        var watcher: FolderWatcher?
        /// There are folders, and no watcher could be had.
        var lacksWatcher = false
        /// Why folders are not watched, as it was said last.
        var toldWatch: String?
        /// All devices were looked at, at least once.
        var hasSnapshot = false
    }

    private let configuration: Configuration
    private let clock: any DeviceClock
    private let parts: SourceParts
    private let hub = AccessoryHub()
    private let desk = ChannelDesk()
    private let problemList: ProblemList
    private let mailbox = Mailbox<Message>()
    private let state: Mutex<State>
    private let life = Mutex(Life())
    /// Entered until the first look at all devices is done.
    private let firstLook = DispatchGroup()
    private let hasLooked = Atomic<Bool>(false)
    private let log = Logger(label: "device-services.accessory")

    /// The key of what is wrong with the first look at all devices.
    private static let lookKey = "first look"
    /// The key of the timer that looks at folders.
    private static let foldersKey = "folders"
    /// How often folders that cannot be watched are looked at, in seconds.
    static let lookInterval = 3.0

    /// A source over that configuration. Nothing is opened yet.
    public convenience init(configuration: Configuration, clock: any DeviceClock) {
        self.init(configuration: configuration, clock: clock, parts: .live(clock: clock))
        let log = Logger(label: "device-services.configuration")
        for problem in configuration.accessoryProblems { log.warning("\(problem)") }
    }

    /// The same, with udevd's control socket somewhere else: a machine that is made up has none of its own.
    package convenience init(configuration: Configuration, clock: any DeviceClock, udevdControl: String) {
        self.init(configuration: configuration, clock: clock, parts: .live(clock: clock, control: udevdControl))
    }

    init(configuration: Configuration, clock: any DeviceClock, parts: SourceParts) {
        self.configuration = configuration
        self.clock = clock
        self.parts = parts
        problemList = ProblemList(onChange: parts.onProblems)
        let settleTime = configuration.accessorySettleTime.value
        state = Mutex(
            State(
                roster: AccessoryRoster(
                    rules: configuration.accessoryRules.value, settleTime: settleTime, reach: parts.reach),
                folders: AccessoryFolders(configuration.accessoryFolders.value, settleTime: settleTime)))
        firstLook.enter()
    }

    deinit {
        life.withLock { life in
            life.stopWatching?()
            life.watcher?.stop()
        }
        // A group may not be let go while it is entered.
        endFirstLook()
    }

    /// The accessories that are attached now, by rising id. The first call looks for them, which takes some milliseconds.
    public var accessories: [AccessoryDescription] {
        begin()
        return hub.accessories
    }

    /// Why accessories, or some of them, cannot be found; empty when all is well. Looks for them when nobody has.
    public var problems: [DeviceError] {
        begin()
        return problemList.errors
    }

    /// Devices that could be accessories, and why they are none.
    public var candidates: [AccessoryCandidate] {
        begin()
        return state.withLock { $0.roster.candidates }
    }

    /// Hands events to the closure: a snapshot before this call returns, then changes.
    public func subscribe(_ receive: @escaping @Sendable (AccessoryEvent) -> Void) -> Subscription {
        begin()
        return hub.subscribe(receive)
    }

    /// Opens a protocol of an attached accessory, for this program alone.
    ///
    /// A channel of this program on the same node that was closed and still sends what was written is waited for, for a
    /// tenth of a second; what the accessory has not taken by then is lost. Where the system does not give the node of a
    /// device that hangs back, the call fails after a second. A node that is in use, or that this user may not open yet, is
    /// tried for another tenth.
    public func open(_ accessory: AccessoryDescription.ID, protocol name: String) throws(DeviceError) -> any ByteChannel
    {
        begin()
        guard let description = hub.description(of: accessory) else { throw Self.isGone(accessory) }
        guard let offered = description.named(name) else {
            throw DeviceError(
                .notFound, "The accessory \(description.identity) does not offer the protocol \(name.prefix(100)).")
        }
        guard let node = offered.node as? ChannelNode else {
            throw DeviceError(.notSupported, "Nothing can be opened for \(name) of \(description.identity).")
        }
        let channel = try desk.open(name, of: accessory, node: node, with: parts.open)
        // Unplugged while it was opened: who ended its channels did not see this one.
        guard hub.description(of: accessory) != nil else {
            desk.endChannels(of: accessory)
            channel.close()
            throw Self.isGone(accessory)
        }
        return channel
    }

    private static func isGone(_ accessory: AccessoryDescription.ID) -> DeviceError {
        DeviceError(.notFound, "The accessory of the connection \(accessory) is not attached any more.")
    }

    // MARK: Beginning

    private func begin() {
        if hasLooked.load(ordering: .acquiring) { return }
        let isFirst = life.withLock { life in
            defer { life.hasBegun = true }
            return !life.hasBegun
        }
        if isFirst { start() }
        if parts.wait(firstLook) { return }
        // What comes later is told as news. Nobody waits again: subscribers hear it, and may ask while they do.
        endFirstLook()
        say(Self.isLate, of: Self.lookKey, isNews: isFirst)
        if life.withLock({ $0.hasSnapshot }) { say(nil, of: Self.lookKey) }
    }

    private static let isLate = DeviceError(
        .busy,
        "The system does not tell in ten seconds which devices there are. Accessories may be missing from the list; they are told of when it does. Look with `udevadm info --export-db` for what hangs."
    )

    private func endFirstLook() {
        if !hasLooked.exchange(true, ordering: .acquiringAndReleasing) { firstLook.leave() }
    }

    private func start() {
        let settle = parts.begin()
        watchFolders()
        post(.begin)
        if configuration.watchesUdev.value {
            let stop = parts.watch { [weak self] event in self?.post(.udev(event), .patiently) }
            life.withLock { $0.stopWatching = stop }
        } else {
            post(.udev(.snapshot([])), .patiently)
        }
        settle()
    }

    /// Has the folders watched, as far as that is possible now.
    private func watchFolders() {
        let folders = configuration.accessoryFolders.value
        guard !folders.isEmpty else { return }
        if let watcher = life.withLock({ $0.watcher }) {
            if watcher.problem != nil { watcher.arm() }
            return tellWatch(watcher.problem)
        }
        do throws(DeviceError) {
            let watcher = try FolderWatcher(folders, inotify: parts.inotify)
            // First, because what its thread tells at once comes here too.
            life.withLock { life in
                life.watcher = watcher
                life.lacksWatcher = false
            }
            try watcher.start { [weak self] in self?.post(.folders, .once(isSame: { $0.isFolders })) }
            tellWatch(watcher.problem)
        } catch {
            life.withLock { life in
                life.watcher = nil
                life.lacksWatcher = true
            }
            tellWatch(error)
        }
    }

    /// Says once why folders are not watched, until they are.
    private func tellWatch(_ problem: DeviceError?) {
        let isNews = life.withLock { life in
            defer { life.toldWatch = problem?.message }
            return life.toldWatch != problem?.message
        }
        say(problem, of: Self.foldersKey, isNews: isNews)
    }

    // MARK: Messages

    /// The monitor's thread waits while subscribers are slower than events: the kernel's buffer has an end, and the monitor
    /// looks again at all devices when that has overflowed.
    private func post(_ message: Message, _ manner: Mailbox<Message>.Manner = .always) {
        mailbox.post(message, manner) { handle($0) }
    }

    private func handle(_ message: Message) {
        let now = clock.now
        switch message {
        case .begin: lookAtFolders(now)
        case .folders, .due(Self.foldersKey):
            watchFolders()
            lookAtFolders(now)
        case .due(let key): carryOut(state.withLock { $0.roster.woken(key, now: now) })
        case .udev(.snapshot(let records)):
            carryOut(state.withLock { $0.roster.snapshot(records, now: now) })
            let isFirst = life.withLock { life in
                defer { life.hasSnapshot = true }
                return !life.hasSnapshot
            }
            if isFirst { say(nil, of: Self.lookKey) }
            endFirstLook()
        case .udev(.added(let record)): carryOut(state.withLock { $0.roster.added(record, now: now) })
        case .udev(.removed(let record)): carryOut(state.withLock { $0.roster.removed(record, now: now) })
        case .udev(.problem(let error)):
            // The monitor has logged it.
            problemList.set([error], for: "udev: \(error.message)")
        case .udev(.solved(let error)): problemList.set([], for: "udev: \(error.message)")
        }
    }

    private func carryOut(_ actions: [AccessoryRoster.Action]) {
        for action in actions {
            switch action {
            case .attach(let key, let description): attach(key, description)
            case .change(let key, var description):
                guard let id = state.withLock({ $0.ids[key] }) else { continue }
                description.id = id
                hub.change(description)
            case .detach(let key): detach(key)
            case .endChannels(let key, let protocols):
                guard let id = state.withLock({ $0.ids[key] }) else { continue }
                desk.endChannels(of: id, protocols: protocols)
            case .wake(let key, let time): wake(key, at: time)
            case .remark(let text): log.warning("\(text)")
            case .problem(let key, let error): say(error, of: key)
            }
        }
    }

    /// Looks what files declare; the first time, the configuration declares accessories as well.
    private func lookAtFolders(_ now: BootTime) {
        let (declared, changes, again, disputes) = state.withLock { state in
            let declared = state.hasDeclared ? [] : configuration.declaredAccessories.value
            state.hasDeclared = true
            let (changes, again) = state.folders.look(now: now)
            for (index, one) in declared.enumerated() { state.ledger.set(one, at: .configuration(index)) }
            // All of them before the first is told of: a file that has been renamed is no second one.
            for change in changes {
                switch change {
                case .attach(let path, let one): state.ledger.set(one, at: .file(path))
                case .detach(let path): state.ledger.set(nil, at: .file(path))
                case .problems: break
                }
            }
            return (declared, changes, again, state.ledger.takeChanges())
        }
        for (subject, problem, isNews) in disputes {
            say(problem, of: subject, isNews: isNews)
        }
        for index in declared.indices { attach(.configuration(index)) }
        for change in changes {
            switch change {
            case .attach(let path, _): attach(.file(path))
            case .detach(let path): detach(DeclarationLedger.Place.file(path).key)
            case .problems(let path, let errors):
                for error in errors { log.warning("\(error.description)") }
                problemList.set(errors, for: "file:" + path)
            }
        }
        // Where a folder cannot be watched, only looking tells what has changed.
        let isWatched = life.withLock { $0.watcher?.problem == nil && !$0.lacksWatcher }
        wake(Self.foldersKey, at: isWatched ? again : min(again ?? .never, now.advanced(bySeconds: Self.lookInterval)))
    }

    private func attach(_ place: DeclarationLedger.Place) {
        guard let description = state.withLock({ $0.ledger.description(at: place) }) else { return }
        attach(place.key, description)
    }

    private func attach(_ key: String, _ description: AccessoryDescription) {
        // Subscribers run inside: no lock may be held.
        let id = hub.attach(description).id
        state.withLock { $0.ids[key] = id }
    }

    /// First its channels end, then it is told that the accessory is gone.
    private func detach(_ key: String) {
        guard let id = state.withLock({ $0.ids.removeValue(forKey: key) }) else { return }
        desk.endChannels(of: id)
        hub.detach(id)
        // Those that were opened in between.
        desk.endChannels(of: id)
    }

    /// Has a key be due at that time, in place of the time that was said before; nil for never.
    private func wake(_ key: String, at time: BootTime?) {
        let timer = time.map { time in
            clock.timer(at: time) { [weak self] in self?.post(.due(key), .once(isSame: { $0.isDue(key) })) }
        }
        let former = state.withLock { state in
            defer { state.timers[key] = timer }
            return state.timers[key]
        }
        former?.cancel()
    }

    /// Keeps what is wrong with a thing, or nil when it is well, and logs what is news.
    private func say(_ problem: DeviceError?, of subject: String, isNews: Bool = true) {
        if let problem, isNews { log.warning("\(problem.description)") }
        problemList.set(problem.map { [$0] } ?? [], for: subject)
    }
}

/// The live accessory source over udev and what the configuration declares. Nothing is opened yet.
///
/// External Accessory reaches this function by its link name and never imports this module: see LiveDevice.
@_silgen_name("DeviceServices_liveAccessorySource")
package func liveAccessorySource(configuration: Configuration, clock: any DeviceClock) -> any AccessorySource {
    UdevSource(configuration: configuration, clock: clock)
}
