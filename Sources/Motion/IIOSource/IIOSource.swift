// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import Synchronization

/// Motion readings through libiio: from the kernel of this machine, or from servers and devices that libiio reaches.
///
/// Nothing is opened before somebody asks for the sensors or subscribes. While there is a subscriber, one thread looks
/// after each context and one reads each device that is listened to, even if the source itself has been released; the
/// hardware stops when the last subscriber leaves. What is lost is looked for until it is back. Events arrive on those
/// threads, and a closure that takes long holds back what follows. Without the trait LibIIO there are no sensors, and a
/// subscriber hears that once.
public final class IIOSource: MotionSource {
    private let hub: MotionHub
    private let supervisor: Supervisor

    /// A source over the contexts at those addresses.
    public convenience init(
        addresses: [MotionSourceAddress], settings: [SensorSetting] = [], clock: any DeviceClock,
        options: IIOSourceOptions = IIOSourceOptions()
    ) {
        #if LibIIO
        let library = LibIIO()
        #else
        let library = NoLibrary()
        #endif
        let parts = SourceParts(
            library: library, clock: clock, settings: settings, options: options,
            spawn: { body throws(DeviceError) in try WorkerThread.start(body) })
        self.init(addresses: addresses, parts: parts)
    }

    init(addresses: [MotionSourceAddress], parts: SourceParts) {
        let supervisor = Supervisor(addresses: addresses, parts: parts)
        self.supervisor = supervisor
        hub = MotionHub { [weak supervisor] in supervisor?.call() }
        supervisor.attach(hub)
    }

    /// The sensors there are now, the best one of each kind first.
    ///
    /// The first call opens the contexts and waits for them, for at most `discoveryLimit` seconds. Sensors of a server
    /// that has not answered by then are there as soon as it has.
    public var sensors: [SensorDescription] {
        supervisor.discover()
        return hub.sensors
    }

    /// The sensor of that name, if it has been found.
    public func description(of sensor: SensorDescription.ID) -> SensorDescription? { hub.description(of: sensor) }

    /// What each context says of itself, as libiio's XML with the values of attributes.
    public var contextDescriptions: [String] {
        supervisor.discover()
        return hub.contextDescriptions
    }

    /// Why contexts could not be opened when that was tried last.
    public var problems: [DeviceError] { supervisor.problems }

    /// Looks for devices that have come or gone, as when the kernel has said so.
    public func devicesChanged() { supervisor.call() }

    /// Whether somebody says when devices of this machine come or go: then they are looked for less often.
    public func devicesAreWatched(_ areWatched: Bool) { supervisor.setWatched(areWatched) }

    /// Hands events to the closure, on threads of the source.
    public func subscribe(
        _ request: MotionRequest, receive: @escaping @Sendable (MotionEvent) -> Void,
        quiet: @escaping @Sendable () -> Void
    ) -> Subscription {
        #if !LibIIO
        if supervisor.isWithoutLibrary {
            receive(.lost(NoLibrary.error))
            return Subscription {}
        }
        #endif
        return hub.subscribe(request, receive: receive, quiet: quiet)
    }

    /// The rate of a sensor's readings, in hertz, measured over about a second.
    public func measuredRate(of sensor: SensorDescription.ID) -> Double? { hub.measuredRate(of: sensor) }
}

extension IIOSource {
    /// Passes the wishes of subscribers on to the contexts.
    private final class Supervisor: Sendable {
        private struct WeakHub {
            weak var hub: MotionHub?
        }

        private let sessions: [ContextSession]
        private let catalog: Catalog
        private let parts: SourceParts
        private let hub = Mutex(WeakHub())

        init(addresses: [MotionSourceAddress], parts: SourceParts) {
            self.parts = parts
            catalog = Catalog(contexts: addresses.count)
            sessions = addresses.enumerated().map { index, address in
                ContextSession(address: address, index: index, parts: parts)
            }
        }

        var problems: [DeviceError] { sessions.compactMap(\.problem) }

        #if !LibIIO
        var isWithoutLibrary: Bool { parts.library is NoLibrary }
        #endif

        func attach(_ hub: MotionHub) { self.hub.withLock { $0.hub = hub } }

        func setWatched(_ isWatched: Bool) {
            parts.watch.set(isWatched)
            // What waits for long looks again how long that is to be.
            call()
        }

        func call() {
            guard let hub = hub.withLock({ $0.hub }) else { return }
            for session in sessions { session.call(hub: hub, catalog: catalog, owner: self) }
        }

        /// Looks for sensors where that has not been done, and waits for it.
        func discover() {
            #if !LibIIO
            if isWithoutLibrary { return }
            #endif
            guard let hub = hub.withLock({ $0.hub }) else { return }
            let waits = sessions.compactMap { session -> Bell? in
                guard let wait = session.requestDiscovery() else { return nil }
                session.call(hub: hub, catalog: catalog, owner: self)
                return wait
            }
            let start = parts.clock.now
            for wait in waits {
                wait.wait(seconds: parts.options.discoveryLimit - parts.clock.now.seconds(since: start))
            }
        }
    }
}
