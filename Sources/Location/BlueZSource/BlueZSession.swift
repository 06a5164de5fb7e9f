// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A connection to BlueZ through the system bus. The thread that creates a session uses it until the first error.
struct BlueZSession: ~Copyable {
    private let clock: any DeviceClock
    private let wakeUp: WakeupPipe
    private var bus: SystemBus
    private var authentication = SystemBusAuthentication()
    private var framer = DBusFramer()
    private var client: BlueZClient

    /// Connects to the bus. If `startsDiscovery` is false, the session only checks whether it could receive beacons.
    init(address: String, clock: any DeviceClock, wakeUp: WakeupPipe, startsDiscovery: Bool) throws(DeviceError) {
        self.init(try SystemBus(address: address), clock: clock, wakeUp: wakeUp, startsDiscovery: startsDiscovery)
    }

    /// This initializer must not throw. In Swift 6.2, if an initializer of a noncopyable type throws, the default
    /// values of the properties are destroyed twice.
    private init(_ bus: consuming SystemBus, clock: any DeviceClock, wakeUp: WakeupPipe, startsDiscovery: Bool) {
        (self.clock, self.wakeUp) = (clock, wakeUp)
        self.bus = bus
        client = BlueZClient(startsDiscovery: startsDiscovery, now: clock.now)
    }

    /// Runs until `isWanted` returns false. Throws an error if the connection fails.
    mutating func run(while isWanted: () -> Bool, deliver: (BeaconEvent) -> Void) throws(DeviceError) {
        while isWanted() {
            try poll(until: .never)
            for event in client.drainEvents() { deliver(event) }
        }
        client.stop()
        try bus.send(client.drainOutgoing())
    }

    /// Returns the reason why beacons cannot be received, or nil if they can. Throws an error if the connection fails.
    mutating func probe(until deadline: BootTime) throws(DeviceError) -> DeviceError? {
        while clock.now < deadline {
            try poll(until: deadline)
            for event in client.drainEvents() {
                switch event {
                case .lost(let error): return error
                case .regained: return nil
                case .sighting: break
                }
            }
        }
        return BlueZProblem.noReply
    }

    private mutating func poll(until limit: BootTime) throws(DeviceError) {
        try bus.send(client.drainOutgoing())
        let events = Int16(POLLIN) | (bus.hasPendingOutput ? Int16(POLLOUT) : 0)
        let isReady = wakeUp.wait(for: bus.descriptor, events: events, until: min(limit, client.deadline), clock: clock)
        let now = clock.now
        if isReady { try read(now) }
        if client.deadline <= now { try client.processTimeouts(now: now) }
    }

    private mutating func read(_ now: BootTime) throws(DeviceError) {
        var received: [UInt8] = []
        var failure: DeviceError?
        do throws(DeviceError) {
            try bus.read { received.append(contentsOf: $0) }
        } catch {
            // The bytes received before the error are processed first, because they may contain the bus's own error,
            // which is more specific.
            failure = error
        }
        received.withUnsafeBytes { bytes in
            do throws(DeviceError) {
                framer.append(try authentication.process(bytes))
            } catch {
                failure = error
            }
        }
        while let message = try next() { try client.process(message, now: now) }
        if let failure { throw failure }
    }

    private mutating func next() throws(DeviceError) -> DBusMessage? {
        do throws(DBusFormatError) {
            return try framer.next()
        } catch {
            throw DeviceError(.connectionLost, "The system bus sent an invalid D-Bus message. Reconnecting.")
        }
    }
}
