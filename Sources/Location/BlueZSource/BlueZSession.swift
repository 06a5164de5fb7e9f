// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// One connection to the bus of the system, and the dialogue with BlueZ over it.
struct BlueZSession: ~Copyable {
    private let clock: any DeviceClock
    private let wakeUp: WakeUp
    private var bus: SystemBus
    private var greeting = SystemBusGreeting()
    private var framer = DBusFramer()
    private var client: BlueZClient

    /// Connects.
    ///
    /// - Parameter listens: False to look only whether beacons could be heard.
    init(address: String, clock: any DeviceClock, wakeUp: WakeUp, listens: Bool) throws(DeviceError) {
        self.init(try SystemBus(address: address), clock: clock, wakeUp: wakeUp, listens: listens)
    }

    /// Cannot fail: Swift 6.2 destroys the defaults of a noncopyable value twice where its initializer throws.
    private init(_ bus: consuming SystemBus, clock: any DeviceClock, wakeUp: WakeUp, listens: Bool) {
        self.clock = clock
        self.wakeUp = wakeUp
        self.bus = bus
        client = BlueZClient(listens: listens, now: clock.now)
    }

    /// Works until nobody wants beacons any more. The error says why the connection is of no use any more.
    mutating func run(
        while isWanted: () -> Bool, tell: (BeaconEvent) -> Void
    ) throws(DeviceError) {
        while isWanted() {
            try step(until: .never)
            for event in client.takeEvents() { tell(event) }
        }
        client.stop()
        try bus.send(client.takeOutgoing())
    }

    /// Looks whether beacons could be heard, and says why not.
    mutating func probe(until deadline: BootTime) throws(DeviceError) -> DeviceError? {
        while clock.now < deadline {
            try step(until: deadline)
            for event in client.takeEvents() {
                switch event {
                case .lost(let error): return error
                case .regained: return nil
                case .sighting: break
                }
            }
        }
        return BlueZProblem.noAnswer
    }

    /// Sends what there is, waits, and takes what has come in.
    private mutating func step(until limit: BootTime) throws(DeviceError) {
        try bus.send(client.takeOutgoing())
        let events = Int16(POLLIN) | (bus.isSending ? Int16(POLLOUT) : 0)
        let isReady = wakeUp.wait(
            for: bus.descriptor, events: events, until: min(limit, client.deadline), clock: clock)
        let now = clock.now
        if isReady { try read(now) }
        if client.deadline <= now { try client.timeOut(now: now) }
    }

    private mutating func read(_ now: BootTime) throws(DeviceError) {
        var received: [UInt8] = []
        var failure: DeviceError?
        do throws(DeviceError) {
            try bus.read { received.append(contentsOf: $0) }
        } catch {
            // After what came before the end.
            failure = error
        }
        received.withUnsafeBytes { bytes in
            do throws(DeviceError) {
                framer.append(try greeting.take(bytes))
            } catch {
                failure = error
            }
        }
        while let message = try next() { try client.take(message, now: now) }
        if let failure { throw failure }
    }

    private mutating func next() throws(DeviceError) -> DBusMessage? {
        do throws(DBusFormatError) {
            return try framer.next()
        } catch {
            throw DeviceError(
                .connectionLost, "What came from the system bus is no message of D-Bus. The connection is made anew.")
        }
    }
}
