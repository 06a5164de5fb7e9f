// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Synchronization
import UdevMonitor

@testable import UdevSource

/// A source with a virtual clock. The test posts events instead of a monitor.
final class TestSource: Sendable {
    let clock = VirtualClock()
    let source: UdevSource
    private let feed: Feed
    private let log = Mutex<[String]>([])
    private let subscription = Mutex<Subscription?>(nil)

    /// The callbacks to run when a node is released.
    private final class Hooks: Sendable {
        private let waiting = Mutex<[@Sendable () -> Void]>([])

        func add(_ body: @escaping @Sendable () -> Void) { waiting.withLock { $0.append(body) } }

        func run() {
            let bodies = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for body in bodies { body() }
        }
    }

    private final class Feed: Sendable {
        let receive = Mutex<(@Sendable (UdevEvent) -> Void)?>(nil)
        let isStopped = Atomic<Bool>(false)
        /// The nodes that are not ready.
        let nodes = Mutex<[String: NodeAccess]>([:])
        let channels = Mutex<[MemoryChannel]>([])
        let ended = Mutex<[ByteChannelEnd.Reason]>([])
        let hooks = Mutex<[Hooks]>([])
        let refusal = Mutex<DeviceError?>(nil)
        let next = Mutex<OpenedChannel?>(nil)
    }

    /// Creates a source that starts with these devices. The nodes in `missing` do not exist.
    init(
        _ records: [UdevRecord] = [], settleTime: Double = 0.15, missing: [String] = [], subscribes: Bool = true,
        inotify: Inotify = Inotify(), configure: (inout Configuration) -> Void = { _ in }
    ) {
        let feed = Feed()
        self.feed = feed
        for path in missing { feed.nodes.withLock { $0[path] = .missing } }
        var configuration = Configuration()
        configuration.accessorySettleTime.value = .seconds(settleTime)
        configure(&configuration)
        source = UdevSource(
            configuration: configuration, clock: clock,
            dependencies: UdevSourceDependencies(
                watch: { receive in
                    feed.receive.withLock { $0 = receive }
                    receive(.snapshot(records))
                    return { feed.isStopped.store(true, ordering: .releasing) }
                },
                open: { _ throws(DeviceError) in
                    if let error = feed.refusal.withLock({ $0 }) { throw error }
                    let next = feed.next.withLock { next in
                        defer { next = nil }
                        return next
                    }
                    if let next { return next }
                    let (channel, peer) = MemoryChannel.pair()
                    feed.channels.withLock { $0.append(peer) }
                    let hooks = Hooks()
                    feed.hooks.withLock { $0.append(hooks) }
                    return OpenedChannel(
                        channel: channel,
                        end: { [weak channel] end, done in
                            feed.ended.withLock { $0.append(end.reason) }
                            channel?.end(end)
                            // A node whose connection has ended is free.
                            hooks.run()
                            done()
                        },
                        whenReleased: { hooks.add($0) }, discardUnsentData: { hooks.run() })
                },
                checkAccess: { path in feed.nodes.withLock { $0[path] ?? .ready } }, inotify: inotify))
        if subscribes { subscribe() }
    }

    func subscribe() {
        let new = source.subscribe { [weak self] event in
            guard let self else { return }
            let line =
                switch event {
                case .snapshot(let all): "snapshot \(all.map(\.id))"
                case .attached(let one): "attached \(one.id) \(one.protocols.map(\.name).joined(separator: " "))"
                case .changed(let one): "changed \(one.id) \(one.protocols.map(\.name).joined(separator: " "))"
                case .detached(let one): "detached \(one.id)"
                }
            log.withLock { $0.append(line) }
        }
        subscription.withLock { $0 = new }
    }

    /// The received events, beginning with the snapshot.
    var events: [String] { log.withLock { $0 } }
    var hasStarted: Bool { feed.receive.withLock { $0 != nil } }
    var isStopped: @Sendable () -> Bool {
        { [feed] in feed.isStopped.load(ordering: .acquiring) }
    }
    var ended: [ByteChannelEnd.Reason] { feed.ended.withLock { $0 } }

    func send(_ event: UdevEvent) { feed.receive.withLock { $0 }?(event) }
    func add(_ records: UdevRecord...) { for record in records { send(.added(record)) } }
    func remove(_ records: UdevRecord...) { for record in records { send(.removed(record)) } }
    func setNode(_ path: String, _ access: NodeAccess) { feed.nodes.withLock { $0[path] = access } }
    /// Sets the channel that is opened next.
    func put(_ channel: OpenedChannel) { feed.next.withLock { $0 = channel } }
    func refuse(_ error: DeviceError?) { feed.refusal.withLock { $0 = error } }

    /// Releases the nodes of closed channels.
    func releaseAll() {
        for hooks in feed.hooks.withLock({ $0 }) { hooks.run() }
    }

    /// Advances the clock and runs the timers that are due.
    func advance(_ seconds: Double) {
        let end = clock.now.advanced(bySeconds: seconds)
        while clock.runNextTimer(upTo: end) {}
        clock.move(to: end)
    }
}
