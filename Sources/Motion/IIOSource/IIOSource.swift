// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import Synchronization

/// A source of motion readings from all sensors that libiio can access, locally or on servers.
///
/// The source opens contexts when sensors are first requested or a subscription begins. While there are subscribers,
/// each context has a supervising thread, and each subscribed device has a reader thread. The threads keep running even
/// if the source itself is released. Events are delivered on these threads or on the request's executor, so a slow
/// closure delays subsequent events. The source searches for lost devices until they return. If the package is built
/// without the LibIIO trait, each subscriber receives a single `lost` event.
public final class IIOSource: MotionSource {
    private let hub: MotionHub
    private let sessions: SessionGroup

    /// Creates a source for the contexts at the given addresses.
    public convenience init(
        addresses: [MotionSourceAddress], settings: [SensorSetting] = [], clock: any DeviceClock,
        options: IIOSourceOptions = IIOSourceOptions()
    ) {
        #if LibIIO
        let library = LibIIO()
        #else
        let library = NoLibrary()
        #endif
        let dependencies = IIOSourceDependencies(
            library: library, clock: clock, settings: settings, options: options,
            spawn: { body throws(DeviceError) in try WorkerThread.start(body) })
        self.init(addresses: addresses, dependencies: dependencies)
    }

    init(addresses: [MotionSourceAddress], dependencies: IIOSourceDependencies) {
        let sessions = SessionGroup(addresses: addresses, dependencies: dependencies)
        self.sessions = sessions
        hub = MotionHub { [weak sessions] in sessions?.wakeThreads() }
        sessions.attach(hub)
    }

    /// The currently known sensors. The best sensor of each kind comes first.
    ///
    /// The first access opens the contexts and waits up to 3 s.
    public var sensors: [SensorDescription] {
        sessions.discover()
        return hub.sensors
    }

    /// Returns the sensor with the given ID, or nil if it has not been found.
    public func description(of sensor: SensorDescription.ID) -> SensorDescription? { hub.description(of: sensor) }

    /// The descriptions of the contexts, in libiio's XML format, including attribute values.
    public var contextDescriptions: [String] {
        sessions.discover()
        return hub.contextDescriptions
    }

    /// The errors for contexts that could not be opened in the last attempt.
    public var problems: [DeviceError] { sessions.problems }

    /// Searches for added and removed devices, for example after a kernel event.
    package func devicesChanged() { sessions.wakeThreads() }

    /// Sets whether the caller reports changes to local devices. If it does, the source searches less frequently.
    package func setReportsDeviceChanges(_ isEnabled: Bool) { sessions.setWatched(isEnabled) }

    /// Subscribes to readings. The closures run on the source's threads or on the request's executor. If the sensor is
    /// already lost, `receive` is called with the loss before this method returns.
    public func subscribe(
        _ request: MotionRequest, receive: @escaping @Sendable (MotionEvent) -> Void,
        onInputIdle: @escaping @Sendable () -> Void
    ) -> Subscription {
        #if !LibIIO
        if sessions.isWithoutLibrary {
            receive(.lost(NoLibrary.error))
            return Subscription {}
        }
        #endif
        return hub.subscribe(request, receive: receive, onInputIdle: onInputIdle)
    }

    /// Returns a sensor's rate in hertz, measured over about one second, or nil if no rate has been measured.
    public func measuredRate(of sensor: SensorDescription.ID) -> Double? { hub.measuredRate(of: sensor) }

    /// The sessions of all contexts. While their threads run, they retain this group, even if the source has been
    /// released.
    private final class SessionGroup: Sendable {
        private struct WeakHub { weak var hub: MotionHub? }

        private let sessions: [ContextSession]
        private let catalog: SensorCatalog
        private let dependencies: IIOSourceDependencies
        private let hub = Mutex(WeakHub())

        init(addresses: [MotionSourceAddress], dependencies: IIOSourceDependencies) {
            self.dependencies = dependencies
            catalog = SensorCatalog(contexts: addresses.count)
            sessions = addresses.enumerated().map { index, address in
                ContextSession(address: address, index: index, dependencies: dependencies)
            }
        }

        var problems: [DeviceError] { sessions.compactMap(\.problem) }

        #if !LibIIO
        var isWithoutLibrary: Bool { dependencies.library is NoLibrary }
        #endif

        func attach(_ hub: MotionHub) { self.hub.withLock { $0.hub = hub } }

        func setWatched(_ isWatched: Bool) {
            dependencies.watch.set(isWatched)
            wakeThreads()
        }

        func wakeThreads() {
            guard let hub = hub.withLock({ $0.hub }) else { return }
            for session in sessions { session.wakeThread(hub: hub, catalog: catalog, owner: self) }
        }

        /// Discovers sensors that are not yet known and waits for the results.
        func discover() {
            #if !LibIIO
            if isWithoutLibrary { return }
            #endif
            guard let hub = hub.withLock({ $0.hub }) else { return }
            let semaphores = sessions.compactMap { session -> BinarySemaphore? in
                guard let discoveryFinished = session.requestDiscovery() else { return nil }
                session.wakeThread(hub: hub, catalog: catalog, owner: self)
                return discoveryFinished
            }
            let start = dependencies.clock.now
            for semaphore in semaphores {
                semaphore.wait(
                    seconds: dependencies.options.discoveryTimeout - dependencies.clock.now.seconds(since: start))
            }
        }
    }
}
