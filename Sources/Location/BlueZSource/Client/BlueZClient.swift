// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// A BlueZ client without a socket. Given the received messages, the client provides the bytes to send and the events
/// to deliver. It starts discovery on a powered adapter and reports the beacons among the received advertisements. If
/// bluetoothd is not running or no adapter is powered, the client reports the problem and waits for a D-Bus signal.
/// After other errors, BlueZ does not signal when it has recovered, so the client retries with an increasing delay.
package struct BlueZClient {
    /// The timeout, in seconds, for a reply from the bus or BlueZ.
    static let replyTimeout = 10.0
    /// The time, in seconds, without a message from BlueZ after which the client sends a ping.
    static let pingInterval = 10.0
    /// If BlueZ replies that discovery is already in progress, discovery must start within this time, in seconds. BlueZ
    /// normally reports the start a few milliseconds after this reply.
    static let discoveryTimeout = 1.0
    private static let bus = "org.freedesktop.DBus"
    private static let bluez = "org.bluez"
    private static let objectManager = "org.freedesktop.DBus.ObjectManager"
    private static let properties = "org.freedesktop.DBus.Properties"
    /// The errors that the bus returns if a service is not running and cannot be started.
    private static let serviceUnavailableErrors: Set = [
        "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
    ]
    private static let pathBytes = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_".utf8)
    private static let maximumAdapters = 16

    private enum Request {
        case hello, match, objects, filter, start, ping
    }

    /// False if the client only checks whether it could receive beacons.
    private let startsDiscovery: Bool
    private var serial: UInt32 = 0
    private var pendingRequests: [UInt32: (request: Request, deadline: BootTime)] = [:]
    private var outgoing: [UInt8] = []
    private var events: [BeaconEvent] = []
    /// BlueZ's unique bus name, or nil while BlueZ is not running.
    private var owner: String?
    private struct Adapter {
        var isPowered = false
        var isDiscovering = false
    }

    private var adapters: [String: Adapter] = [:]
    /// The adapter on which discovery is running or has been requested.
    private var adapter: String?
    private var beacons = BlueZBeacons()
    private var retry = Backoff(first: 1, limit: 60)
    /// The next scheduled step. A message from BlueZ may cancel it.
    private enum Step {
        case none
        case retry(BootTime)
        /// The client is waiting for discovery to start. If discovery has not started by the given time, the client
        /// reports the `InProgress` error.
        case expectDiscovery(error: DBusMessage, BootTime)

        var time: BootTime {
            switch self {
            case .none: .never
            case .retry(let time), .expectDiscovery(_, let time): time
            }
        }
    }

    private var nextStep = Step.none
    /// True if the last status event was `regained`.
    private var isReceiving = false
    /// The time of BlueZ's last message, which determines when the next ping is sent.
    private var lastMessage: BootTime

    /// Creates a client and queues its first calls. If `startsDiscovery` is false, the client only checks for problems.
    package init(startsDiscovery: Bool = true, now: BootTime) {
        self.startsDiscovery = startsDiscovery
        lastMessage = now
        func call(_ member: String) -> DBusCall { DBusCall(Self.bus, "/org/freedesktop/DBus", Self.bus, member) }
        sendRequest(.hello, call("Hello"), now: now)
        if startsDiscovery {
            // The match rules are added before the objects are requested, so that no change is missed.
            for rule in [
                "type='signal',sender='\(Self.bus)',interface='\(Self.bus)',member='NameOwnerChanged',arg0='\(Self.bluez)'",
                "type='signal',sender='\(Self.bluez)',interface='\(Self.objectManager)'",
                "type='signal',sender='\(Self.bluez)',interface='\(Self.properties)',member='PropertiesChanged'",
            ] {
                sendRequest(.match, call("AddMatch").appending(rule), now: now)
            }
        }
        requestObjects(now: now)
    }

    // MARK: Output

    package mutating func drainOutgoing() -> [UInt8] {
        defer { outgoing = [] }
        return outgoing
    }

    package mutating func drainEvents() -> [BeaconEvent] {
        defer { events = [] }
        return events
    }

    var deadline: BootTime { min(nextStep.time, pendingRequests.values.map(\.deadline).min() ?? pingTime) }

    /// The time of the next ping. Without pings, a hung bluetoothd would be indistinguishable from an absence of
    /// beacons.
    private var pingTime: BootTime {
        startsDiscovery && isReceiving ? lastMessage.advanced(bySeconds: Self.pingInterval) : .never
    }

    package mutating func processTimeouts(now: BootTime) throws(DeviceError) {
        if pendingRequests.values.contains(where: { $0.deadline <= now }) {
            throw owner == nil ? BlueZProblem.noReply : BlueZProblem.timedOut(seconds: Int(Self.replyTimeout))
        }
        if pendingRequests.isEmpty, pingTime <= now {
            sendRequest(.ping, DBusCall(Self.bluez, "/", "org.freedesktop.DBus.Peer", "Ping"), now: now)
        }
        guard nextStep.time <= now else { return }
        switch exchange(&nextStep, with: .none) {
        case .none: break
        case .retry: if let adapter { startDiscovery(adapter, now) } else { requestObjects(now: now) }
        case .expectDiscovery(let error, _):
            stop()
            reportAndRetry(BlueZProblem.discoveryFailed(error), now: now)
        }
    }

    /// Stops discovery. Closing the connection has the same effect.
    mutating func stop() {
        guard startsDiscovery, let adapter else { return }
        var call = DBusCall(Self.bluez, adapter, BlueZObject.adapterInterface, "StopDiscovery")
        call.isOneWay = true
        send(call)
    }

    // MARK: Calls

    @discardableResult private mutating func send(_ call: DBusCall) -> UInt32 {
        serial &+= 1
        if serial == 0 { serial = 1 }
        outgoing += call.bytes(serial: serial)
        return serial
    }

    private mutating func sendRequest(_ request: Request, _ call: DBusCall, now: BootTime) {
        pendingRequests[send(call)] = (request, now.advanced(bySeconds: Self.replyTimeout))
    }

    private mutating func requestObjects(now: BootTime) {
        // The call also starts bluetoothd if the system supports D-Bus activation.
        sendRequest(.objects, DBusCall(Self.bluez, "/", Self.objectManager, "GetManagedObjects"), now: now)
    }

    private mutating func startDiscovery(_ adapter: String, _ now: BootTime) {
        let interface = BlueZObject.adapterInterface
        // `DuplicateData` makes BlueZ report every advertisement, not only changed ones.
        let filter = DBusCall(Self.bluez, adapter, interface, "SetDiscoveryFilter")
            .appending(["Transport": .text("le"), "DuplicateData": .bool(true)])
        sendRequest(.filter, filter, now: now)
        sendRequest(.start, DBusCall(Self.bluez, adapter, interface, "StartDiscovery"), now: now)
    }

    // MARK: Messages

    package mutating func process(_ message: DBusMessage, now: BootTime) throws(DeviceError) {
        if message.sender == owner { lastMessage = now }
        switch message.kind {
        case .methodReturn, .error:
            guard let number = message.replySerial, let (request, _) = pendingRequests.removeValue(forKey: number)
            else { return }
            guard message.kind == .error else { return process(reply: message, to: request, now: now) }
            try process(error: message, to: request, now: now)
        // Invalid signals are ignored.
        case .signal: do throws(DBusFormatError) { try process(signal: message, now: now) } catch {}
        case .methodCall, nil: break
        }
    }

    private mutating func process(reply message: DBusMessage, to request: Request, now: BootTime) {
        switch request {
        case .hello, .match, .filter, .ping: break
        case .start: setProblem(nil)
        case .objects:
            resetObjects(owner: message.sender)
            if message.signature == "a{oa{sa{sv}}}" {
                var values = message.values
                do throws(DBusFormatError) {
                    try values.dictionary { (values) throws(DBusFormatError) in
                        let path = try values.string()
                        let object = try BlueZObject(interfaces: &values)
                        // Earlier advertisements are not reported, because it is unknown when they were received.
                        if let device = object.device { _ = beacons.update(device, at: path, now: now) }
                        if let found = object.adapter { updateAdapter(found, at: path) }
                    }
                } catch {}
            }
            selectAdapter(now: now)
        }
    }

    private mutating func process(error message: DBusMessage, to request: Request, now: BootTime) throws(DeviceError) {
        switch request {
        case .hello, .match: throw BlueZProblem.rejectedByBus(message)
        case .objects:
            let problem = BlueZProblem.objectsUnavailable(message, isFromBus: message.sender == Self.bus)
            // The bus sends a signal when BlueZ starts, so this error needs no retry. After any other error, the call
            // is retried.
            if owner == nil, Self.serviceUnavailableErrors.contains(message.error) {
                setProblem(problem)
            } else {
                reportAndRetry(problem, now: now)
            }
        // Errors in these replies are ignored. Discovery also works without a filter, and any reply to a ping, even an
        // error, shows that BlueZ responds.
        case .filter, .ping: break
        case .start:
            if message.error == "org.bluez.Error.InProgress" {
                // BlueZ sends this reply if another program has started discovery. However, BlueZ also sends it after a
                // crash, or if the controller has refused to scan. In these two cases, discovery is not running.
                if let adapter, adapters[adapter]?.isDiscovering == true { return setProblem(nil) }
                nextStep = .expectDiscovery(error: message, now.advanced(bySeconds: Self.discoveryTimeout))
                return
            }
            reportAndRetry(BlueZProblem.discoveryFailed(message), now: now)
        }
    }

    private mutating func process(signal message: DBusMessage, now: BootTime) throws(DBusFormatError) {
        var values = message.values
        if message.sender == Self.bus, message.member == "NameOwnerChanged", message.signature == "sss" {
            guard try values.string() == Self.bluez else { return }
            _ = try values.string()
            return handleOwnerChange(try values.string(), now: now)
        }
        // Ignores signals that other programs send directly to this connection.
        guard let owner, message.sender == owner else { return }
        switch (message.member, message.signature) {
        case ("InterfacesAdded", "oa{sa{sv}}"):
            let path = try values.string()
            process(try BlueZObject(interfaces: &values), at: path, now: now)
        case ("InterfacesRemoved", "oas"):
            let path = try values.string()
            beacons.remove(path)
            guard adapters.removeValue(forKey: path) != nil else { return }
            if adapter == path { adapter = nil }
            selectAdapter(now: now)
        case ("PropertiesChanged", "sa{sv}as"):
            process(try BlueZObject(changes: &values), at: message.path, now: now)
        default: break
        }
    }

    private mutating func process(_ object: BlueZObject, at path: String, now: BootTime) {
        if let device = object.device, let sighting = beacons.update(device, at: path, now: now), adapter != nil {
            events.append(.sighting(sighting))
        }
        guard let changed = object.adapter else { return }
        updateAdapter(changed, at: path)
        if path == adapter, adapters[path]?.isPowered == true {
            if changed.isDiscovering == true {
                // Discovery is running, so the client stops waiting for the reply to its own call. That reply may be
                // missing: if two programs start discovery at once, BlueZ replies to only one of them while discovery
                // is running.
                pendingRequests = pendingRequests.filter { $0.value.request != .start }
                nextStep = .none
                if !isReceiving { setProblem(nil) }
            } else if isStarting {
                return
            } else if changed.isPowered == true {
                nextStep = .retry(now)
            } else if changed.isDiscovering == false, case .none = nextStep {
                // Discovery has ended, even though this client did not stop it.
                nextStep = .retry(now.advanced(bySeconds: retry.nextDelay()))
            }
        } else {
            selectAdapter(now: now)
        }
    }

    // MARK: State

    private var isStarting: Bool { pendingRequests.values.contains { $0.request == .start } }

    private mutating func updateAdapter(_ found: BlueZObject.Adapter, at path: String) {
        let isKnown = adapters[path] != nil
        guard isKnown || adapters.count < Self.maximumAdapters && Self.isPath(path) else { return }
        var adapter = adapters[path] ?? Adapter()
        adapter.isPowered = found.isPowered ?? adapter.isPowered
        adapter.isDiscovering = found.isDiscovering ?? adapter.isDiscovering
        adapters[path] = adapter
    }

    /// The bus closes the connection if a call contains an invalid object path.
    private static func isPath(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 1, parts[0].isEmpty, text.utf8.count <= 255 else { return false }
        return parts.dropFirst().allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { Self.pathBytes.contains($0) }
        }
    }

    private mutating func handleOwnerChange(_ new: String, now: BootTime) {
        pendingRequests = pendingRequests.filter { $0.value.request == .hello || $0.value.request == .match }
        nextStep = .none
        resetObjects(owner: new.isEmpty ? nil : new)
        if new.isEmpty { setProblem(BlueZProblem.blueZEnded) } else { requestObjects(now: now) }
    }

    private mutating func resetObjects(owner: String?) {
        self.owner = owner
        (adapters, adapter) = ([:], nil)
        beacons.removeAll()
    }

    /// Selects the first powered adapter and starts discovery, unless a powered adapter is already selected.
    private mutating func selectAdapter(now: BootTime) {
        if let adapter, adapters[adapter]?.isPowered == true { return }
        adapter = adapters.filter(\.value.isPowered).keys.min()
        nextStep = .none
        guard let adapter else {
            return setProblem(adapters.isEmpty ? BlueZProblem.noAdapter : BlueZProblem.switchedOff)
        }
        if startsDiscovery { startDiscovery(adapter, now) } else { setProblem(nil) }
    }

    private mutating func reportAndRetry(_ problem: DeviceError, now: BootTime) {
        setProblem(problem)
        nextStep = .retry(now.advanced(bySeconds: retry.nextDelay()))
    }

    private mutating func setProblem(_ problem: DeviceError?) {
        isReceiving = problem == nil
        if problem == nil { retry.reset() }
        events.append(problem.map { .lost($0) } ?? .regained)
    }
}
