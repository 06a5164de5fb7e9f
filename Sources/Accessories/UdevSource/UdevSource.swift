// SPDX-License-Identifier: Apache-2.0

public import AccessoryFinding
public import DeviceCore
import Dispatch
import Logging
import Synchronization
import UdevMonitor

/// Publishes the accessories in the udev database and those declared in the configuration or in JSON files.
///
/// Monitoring starts when the source is first used, not when it is created. Events are delivered on internal threads.
///
/// The protocol names of a USB interface come from the first of the following sources that has a name:
/// 1. A rule in the configuration.
/// 2. The udev property `EXTERNAL_ACCESSORY_PROTOCOLS` of the tty or hidraw device, the USB interface or the USB
///    device. The USB device's property applies only if just one of its interfaces can be opened.
/// 3. The interface string, if it is a reverse-DNS name.
///
/// `candidates` lists the devices that could become accessories, each with the reason it is not an accessory.
public final class UdevSource: AccessorySource, AccessoryCandidateSource {
    private enum Message: Sendable {
        case begin
        case udev(UdevEvent)
        case folders
        case due(String)

        var isFolders: Bool { if case .folders = self { true } else { false } }

        func isDue(_ key: String) -> Bool { if case .due(key) = self { true } else { false } }
    }

    /// Changed only by the message handler, which handles one message at a time.
    private struct State {
        var tracker: AccessoryTracker
        var folders: AccessoryFolders
        var declarations = DeclaredAccessoryStore()
        var hasDeclared = false
        /// The IDs of attached accessories, keyed by device path or by `DeclarationSource.key`.
        var ids: [String: AccessoryDescription.ID] = [:]
        /// The timers, keyed by device path or by `foldersKey`.
        var timers: [String: ClockTimer] = [:]
    }

    /// The startup state, which any thread may change. Never locked together with `State`.
    private struct Lifecycle {
        var isStarted = false
        var stopWatching: (@Sendable () -> Void)?
        var watcher: FolderWatcher?
        /// True if directories are configured, but no watcher for them could be created.
        var lacksWatcher = false
        var reportedWatchProblem: String?
        var hasSnapshot = false
    }

    private let configuration: Configuration
    private let clock: any DeviceClock
    private let dependencies: UdevSourceDependencies
    private let hub = AccessoryHub()
    private let channels = ChannelRegistry()
    private let problemList: ProblemList
    private let queue = MessageQueue<Message>()
    private let state: Mutex<State>
    private let lifecycle = Mutex(Lifecycle())
    /// A group that the source leaves when the first scan of all devices finishes or times out. Until then, callers
    /// wait.
    private let initialScan = DispatchGroup()
    private let hasFinishedInitialScan = Atomic<Bool>(false)
    private let log = Logger(label: "device-services.accessory")

    private static let initialScanKey = "initial scan"
    /// The key of the timer that starts a scan of the directories, and of the problem reported if the directories
    /// cannot be watched.
    private static let foldersKey = "folders"
    /// The interval between scans of directories that cannot be watched, in seconds.
    static let folderScanInterval = 3.0

    /// Creates a source. The source opens no devices or sockets before it is first used.
    public convenience init(configuration: Configuration, clock: any DeviceClock) {
        self.init(configuration: configuration, clock: clock, dependencies: .live(clock: clock))
        let log = Logger(label: "device-services.configuration")
        for problem in configuration.accessoryProblems { log.warning("\(problem)") }
    }

    /// Creates a source that looks for udevd's control socket at a different path, to simulate a machine without udevd.
    package convenience init(configuration: Configuration, clock: any DeviceClock, udevdControl: String) {
        self.init(configuration: configuration, clock: clock, dependencies: .live(clock: clock, control: udevdControl))
    }

    init(configuration: Configuration, clock: any DeviceClock, dependencies: UdevSourceDependencies) {
        (self.configuration, self.clock, self.dependencies) = (configuration, clock, dependencies)
        problemList = ProblemList(onChange: dependencies.onProblems)
        let settleTime = configuration.accessorySettleTime.value.inSeconds
        state = Mutex(
            State(
                tracker: AccessoryTracker(
                    rules: configuration.accessoryRules.value, settleTime: settleTime,
                    checkAccess: dependencies.checkAccess),
                folders: AccessoryFolders(configuration.accessoryDirectories.value, settleTime: settleTime)))
        initialScan.enter()
    }

    deinit {
        let (stopWatching, watcher) = lifecycle.withLock { ($0.stopWatching, $0.watcher) }
        stopWatching?()
        watcher?.stop()
        // Leaves the dispatch group, because releasing a group that has been entered is an error.
        finishInitialScan()
    }

    /// The attached accessories, in ascending order of `id`. The source's first use scans the devices.
    public var accessories: [AccessoryDescription] {
        startIfNeeded()
        return hub.accessories
    }

    /// The problems that prevent some or all accessories from being found. Empty if there are none.
    public var problems: [DeviceError] {
        startIfNeeded()
        return problemList.errors
    }

    /// The devices that could become accessories, each with the reason it is not an accessory yet.
    package var candidates: [AccessoryCandidate] {
        startIfNeeded()
        return state.withLock { $0.tracker.candidates }
    }

    /// Delivers a snapshot of the accessories before returning, and changes after that.
    public func subscribe(_ receive: @escaping @Sendable (AccessoryEvent) -> Void) -> Subscription {
        startIfNeeded()
        return hub.subscribe(receive)
    }

    /// Opens a protocol of an attached accessory, exclusively for this process.
    ///
    /// If a channel that this process closed on the same node is still sending, the call waits for up to 0.1 s. Data
    /// that the accessory has not accepted by then is lost. If the device hangs and the system does not release the
    /// node, the call fails after 1 s. If another process is using the node, or this process does not yet have
    /// permission, the call retries for another 0.1 s.
    public func open(_ accessory: AccessoryDescription.ID, protocol name: String) throws(DeviceError) -> any ByteChannel
    {
        startIfNeeded()
        guard let description = hub.description(of: accessory) else { throw Self.notAttached(accessory) }
        guard let offered = description.accessoryProtocol(named: name) else {
            throw DeviceError(
                .notFound, "The accessory \(description.identity) does not offer the protocol \(name.prefix(100)).")
        }
        guard let node = offered.node as? ChannelNode else {
            throw DeviceError(
                .notSupported, "The protocol \(name) of \(description.identity) has no node that can be opened.")
        }
        let channel = try channels.open(name, of: accessory, node: node, with: dependencies.open)
        // If the accessory was detached during this call, its other channels may have been ended before this one was
        // added, so this one is ended here.
        guard hub.description(of: accessory) != nil else {
            channels.endChannels(of: accessory)
            channel.close()
            throw Self.notAttached(accessory)
        }
        return channel
    }

    private static func notAttached(_ accessory: AccessoryDescription.ID) -> DeviceError {
        DeviceError(.notFound, "The accessory of the connection \(accessory) is no longer attached.")
    }

    // MARK: Start

    private func startIfNeeded() {
        if hasFinishedInitialScan.load(ordering: .acquiring) { return }
        let isFirst = lifecycle.withLock { lifecycle in
            defer { lifecycle.isStarted = true }
            return !lifecycle.isStarted
        }
        if isFirst { start() }
        if dependencies.wait(initialScan) { return }
        // The initial scan is taking too long. Later calls do not wait for it, to avoid blocking the app repeatedly.
        finishInitialScan()
        setProblem(Self.initialScanTimeout, for: Self.initialScanKey, isNew: isFirst)
        // The snapshot may have arrived before the problem was set.
        if lifecycle.withLock({ $0.hasSnapshot }) { setProblem(nil, for: Self.initialScanKey) }
    }

    private static let initialScanTimeout = DeviceError(
        .busy,
        "The system has not listed its devices within ten seconds. Accessories may be missing; they are reported once they are listed. Check with `udevadm info --export-db` which step hangs."
    )

    private func finishInitialScan() {
        if !hasFinishedInitialScan.exchange(true, ordering: .acquiringAndReleasing) { initialScan.leave() }
    }

    private func start() {
        let finishPreparing = dependencies.prepare()
        // Watches the directories before `.begin` scans them, so that no change is missed.
        watchFolders()
        post(.begin)
        if configuration.watchesUdev.value {
            let stop = dependencies.watch { [weak self] event in self?.post(.udev(event), .blocking) }
            lifecycle.withLock { $0.stopWatching = stop }
        } else {
            post(.udev(.snapshot([])), .blocking)
        }
        finishPreparing()
    }

    private func watchFolders() {
        let folders = configuration.accessoryDirectories.value
        guard !folders.isEmpty else { return }
        if let watcher = lifecycle.withLock({ $0.watcher }) {
            if watcher.problem != nil { watcher.updateWatches() }
            return reportWatchProblem(watcher.problem)
        }
        do throws(DeviceError) {
            let watcher = try FolderWatcher(folders, inotify: dependencies.inotify)
            // Stores the watcher before starting it, because its thread accesses it immediately.
            lifecycle.withLock { lifecycle in
                lifecycle.watcher = watcher
                lifecycle.lacksWatcher = false
            }
            try watcher.start { [weak self] in self?.post(.folders, .coalescing(isSame: { $0.isFolders })) }
            reportWatchProblem(watcher.problem)
        } catch {
            lifecycle.withLock { lifecycle in
                lifecycle.watcher = nil
                lifecycle.lacksWatcher = true
            }
            reportWatchProblem(error)
        }
    }

    private func reportWatchProblem(_ problem: DeviceError?) {
        let isNew = lifecycle.withLock { lifecycle in
            defer { lifecycle.reportedWatchProblem = problem?.message }
            return lifecycle.reportedWatchProblem != problem?.message
        }
        setProblem(problem, for: Self.foldersKey, isNew: isNew)
    }

    // MARK: Messages

    /// Posts a message and handles pending messages. With the policy `.blocking`, the monitor's thread waits if
    /// subscribers process events too slowly, while the kernel buffers the device messages.
    private func post(_ message: Message, _ policy: MessageQueue<Message>.PostingPolicy = .always) {
        queue.post(message, policy) { handle($0) }
    }

    private func handle(_ message: Message) {
        let now = clock.now
        switch message {
        case .begin: scanFolders(now)
        case .folders, .due(Self.foldersKey):
            watchFolders()
            scanFolders(now)
        case .due(let key): perform(state.withLock { $0.tracker.timerFired(key, now: now) })
        case .udev(.snapshot(let records)):
            perform(state.withLock { $0.tracker.snapshot(records, now: now) })
            let isFirst = lifecycle.withLock { lifecycle in
                defer { lifecycle.hasSnapshot = true }
                return !lifecycle.hasSnapshot
            }
            if isFirst { setProblem(nil, for: Self.initialScanKey) }
            finishInitialScan()
        case .udev(.added(let record)): perform(state.withLock { $0.tracker.added(record, now: now) })
        case .udev(.removed(let record)): perform(state.withLock { $0.tracker.removed(record, now: now) })
        case .udev(.problems(let errors)):
            // Not logged here, because the monitor itself logs missing rules and unreachable messages.
            problemList.set(errors, for: "udev")
        }
    }

    private func perform(_ actions: [AccessoryTracker.Action]) {
        for action in actions {
            switch action {
            case .attach(let key, let description): attach(key, description)
            case .change(let key, var description):
                guard let id = state.withLock({ $0.ids[key] }) else { continue }
                description.id = id
                hub.update(description)
            case .detach(let key): detach(key)
            case .endChannels(let key, let protocols):
                guard let id = state.withLock({ $0.ids[key] }) else { continue }
                channels.endChannels(of: id, protocols: protocols)
            case .scheduleTimer(let key, let time): scheduleTimer(key, at: time)
            case .logWarning(let text): log.warning("\(text)")
            case .problem(let key, let error): setProblem(error, for: key)
            }
        }
    }

    /// Scans the directories. The first call also adds the accessories declared in the configuration.
    private func scanFolders(_ now: BootTime) {
        let (declared, changes, nextScan, conflicts) = state.withLock { state in
            let declared = state.hasDeclared ? [] : configuration.declaredAccessories.value
            state.hasDeclared = true
            let (changes, nextScan) = state.folders.scan(now: now)
            for (index, accessory) in declared.enumerated() {
                state.declarations.set(accessory, at: .configuration(index))
            }
            // Applies all changes before reporting conflicts. Otherwise, a renamed file would briefly conflict with
            // itself.
            for change in changes {
                switch change {
                case .attach(let path, let accessory): state.declarations.set(accessory, at: .file(path))
                case .detach(let path): state.declarations.set(nil, at: .file(path))
                case .problems: break
                }
            }
            return (declared, changes, nextScan, state.declarations.drainChanges())
        }
        for (subject, problem, isNew) in conflicts { setProblem(problem, for: subject, isNew: isNew) }
        for index in declared.indices { attach(.configuration(index)) }
        for change in changes {
            switch change {
            case .attach(let path, _): attach(.file(path))
            case .detach(let path): detach(DeclaredAccessoryStore.DeclarationSource.file(path).key)
            case .problems(let path, let errors):
                for error in errors { log.warning("\(error.description)") }
                problemList.set(errors, for: "file:" + path)
            }
        }
        // If a directory is not watched, only periodic scans find its changes.
        let isWatched = lifecycle.withLock { $0.watcher?.problem == nil && !$0.lacksWatcher }
        scheduleTimer(
            Self.foldersKey,
            at: isWatched ? nextScan : min(nextScan ?? .never, now.advanced(bySeconds: Self.folderScanInterval)))
    }

    private func attach(_ source: DeclaredAccessoryStore.DeclarationSource) {
        guard let description = state.withLock({ $0.declarations.description(at: source) }) else { return }
        attach(source.key, description)
    }

    private func attach(_ key: String, _ description: AccessoryDescription) {
        // This call delivers an event to subscribers, so no lock may be held.
        let id = hub.attach(description).id
        state.withLock { $0.ids[key] = id }
    }

    private func detach(_ key: String) {
        guard let id = state.withLock({ $0.ids.removeValue(forKey: key) }) else { return }
        channels.endChannels(of: id)
        hub.detach(id)
        // The app may have opened more channels before the accessory was detached.
        channels.endChannels(of: id)
    }

    private func scheduleTimer(_ key: String, at time: BootTime?) {
        let timer = time.map { time in
            clock.timer(at: time) { [weak self] in self?.post(.due(key), .coalescing(isSame: { $0.isDue(key) })) }
        }
        let former = state.withLock { state in
            defer { state.timers[key] = timer }
            return state.timers[key]
        }
        former?.cancel()
    }

    private func setProblem(_ problem: DeviceError?, for subject: String, isNew: Bool = true) {
        if let problem, isNew { log.warning("\(problem.description)") }
        problemList.set(problem.map { [$0] } ?? [], for: subject)
    }
}

/// Creates the live accessory source. The source opens no devices or sockets before it is first used.
///
/// ExternalAccessory calls this function by its link name, without importing this module. See `LiveDevice`.
@_silgen_name("DeviceServices_liveAccessorySource")
package func liveAccessorySource(configuration: Configuration, clock: any DeviceClock) -> any AccessorySource {
    UdevSource(configuration: configuration, clock: clock)
}
