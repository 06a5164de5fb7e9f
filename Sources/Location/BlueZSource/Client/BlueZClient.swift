// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// The dialogue with BlueZ, without a socket: takes messages, and has calls to send and events to tell.
///
/// It looks for an adapter that is switched on, has it listen for advertisements, and tells of beacons among them. Where
/// something is missing (bluetoothd, an adapter, its power) it says so and waits for the signal that it is there, without
/// asking again. It asks again, ever more slowly, only where an error was the answer and no signal will tell of its end.
package struct BlueZClient {
    /// Seconds for an answer of the bus or of BlueZ.
    static let answer = 10.0
    /// Seconds without a message of BlueZ after which it is asked whether it still answers.
    static let silence = 10.0
    /// Seconds that the adapter has to begin discovery that BlueZ says is in progress. BlueZ sends the change some
    /// milliseconds after its answer.
    static let discoveryDelay = 1.0
    private static let bus = "org.freedesktop.DBus"
    private static let bluez = "org.bluez"
    private static let objectManager = "org.freedesktop.DBus.ObjectManager"
    private static let properties = "org.freedesktop.DBus.Properties"
    /// How the bus says that nobody has a name, and that it cannot start anybody.
    private static let absence: Set = [
        "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
    ]
    /// More adapters than this are a joke.
    private static let maximumAdapters = 16

    private enum Question {
        case hello, match, objects, filter, start, ping
    }

    /// False for one that only looks whether beacons could be heard.
    private let listens: Bool
    private var serial: UInt32 = 0
    private var questions: [UInt32: (question: Question, deadline: BootTime)] = [:]
    /// Bytes to be sent.
    private var outgoing: [UInt8] = []
    private var events: [BeaconEvent] = []

    /// BlueZ's unique name; nil while nobody has it.
    private var owner: String?
    private struct Adapter {
        var isPowered = false
        var isDiscovering = false
    }

    /// The adapters by path.
    private var adapters: [String: Adapter] = [:]
    /// The one that listens, or has been asked to.
    private var adapter: String?
    private var beacons = BlueZBeacons()
    private var retry = Backoff(first: 1, limit: 60)
    /// The step that is due at a time, if no message of BlueZ makes it unnecessary before.
    private enum Step {
        case none
        /// BlueZ is asked for its objects, or to start discovery.
        case retry(BootTime)
        /// BlueZ has answered with this error that discovery is in progress. The adapter has until then to begin it.
        case expectDiscovery(error: DBusMessage, BootTime)

        var time: BootTime {
            switch self {
            case .none: .never
            case .retry(let time), .expectDiscovery(_, let time): time
            }
        }
    }

    private var nextStep = Step.none
    /// True while beacons can be received.
    private var isReceiving = false
    /// The time of the last message of BlueZ.
    private var lastMessage: BootTime

    /// A client that has begun to ask.
    ///
    /// - Parameter listens: False to look only whether beacons could be heard.
    package init(listens: Bool = true, now: BootTime) {
        self.listens = listens
        lastMessage = now
        let bus = DBusCall(Self.bus, "/org/freedesktop/DBus", Self.bus, "")
        func call(_ member: String) -> DBusCall {
            var call = bus
            call.member = member
            return call
        }
        ask(.hello, call("Hello"), now)
        if listens {
            // Before the question what there is, so that nothing is missed in between.
            for rule in [
                "type='signal',sender='\(Self.bus)',interface='\(Self.bus)',member='NameOwnerChanged',arg0='\(Self.bluez)'",
                "type='signal',sender='\(Self.bluez)',interface='\(Self.objectManager)'",
                "type='signal',sender='\(Self.bluez)',interface='\(Self.properties)',member='PropertiesChanged'",
            ] {
                ask(.match, call("AddMatch").with(rule), now)
            }
        }
        askForObjects(now)
    }

    // MARK: What it wants

    /// The bytes to be sent now.
    package mutating func takeOutgoing() -> [UInt8] {
        defer { outgoing = [] }
        return outgoing
    }

    /// What there is to tell now.
    package mutating func takeEvents() -> [BeaconEvent] {
        defer { events = [] }
        return events
    }

    /// When something is due.
    var deadline: BootTime { min(nextStep.time, questions.values.map(\.deadline).min() ?? pingTime) }

    /// When BlueZ is asked whether it still answers: a daemon that hangs would otherwise look like the absence of beacons.
    private var pingTime: BootTime {
        listens && isReceiving ? lastMessage.advanced(bySeconds: Self.silence) : .never
    }

    /// Does what is due. The error says that the connection is of no use any more.
    package mutating func timeOut(now: BootTime) throws(DeviceError) {
        if questions.values.contains(where: { $0.deadline <= now }) {
            throw owner == nil ? BlueZProblem.noAnswer : BlueZProblem.silence(seconds: Int(Self.answer))
        }
        if questions.isEmpty, pingTime <= now {
            ask(.ping, DBusCall(Self.bluez, "/", "org.freedesktop.DBus.Peer", "Ping"), now)
        }
        guard nextStep.time <= now else { return }
        switch exchange(&nextStep, with: .none) {
        case .none: break
        case .retry: if let adapter { startDiscovery(adapter, now) } else { askForObjects(now) }
        case .expectDiscovery(let error, _):
            stop()
            fail(BlueZProblem.noDiscovery(error), now)
        }
    }

    /// Has the adapter listen no more. Closing the connection does so as well.
    mutating func stop() {
        guard listens, let adapter else { return }
        var call = DBusCall(Self.bluez, adapter, BlueZObject.adapterInterface, "StopDiscovery")
        call.isOneWay = true
        send(call)
    }

    // MARK: Calls

    @discardableResult
    private mutating func send(_ call: DBusCall) -> UInt32 {
        serial &+= 1
        if serial == 0 { serial = 1 }
        outgoing += call.bytes(serial: serial)
        return serial
    }

    private mutating func ask(_ question: Question, _ call: DBusCall, _ now: BootTime) {
        questions[send(call)] = (question, now.advanced(bySeconds: Self.answer))
    }

    private mutating func askForObjects(_ now: BootTime) {
        // Starts bluetoothd where the system is set up for that.
        ask(.objects, DBusCall(Self.bluez, "/", Self.objectManager, "GetManagedObjects"), now)
    }

    private mutating func startDiscovery(_ adapter: String, _ now: BootTime) {
        let interface = BlueZObject.adapterInterface
        // Every advertisement counts, not only what is new in it.
        let filter = DBusCall(Self.bluez, adapter, interface, "SetDiscoveryFilter")
            .with(["Transport": .text("le"), "DuplicateData": .bool(true)])
        ask(.filter, filter, now)
        ask(.start, DBusCall(Self.bluez, adapter, interface, "StartDiscovery"), now)
    }

    // MARK: Messages

    /// Takes a message. The error says that the connection is of no use any more.
    package mutating func take(_ message: DBusMessage, now: BootTime) throws(DeviceError) {
        if message.sender == owner { lastMessage = now }
        switch message.kind {
        case .answer, .error:
            guard let number = message.replySerial, let (question, _) = questions.removeValue(forKey: number) else {
                return
            }
            if message.kind == .error {
                try take(error: message, to: question, now)
            } else {
                take(answer: message, to: question, now)
            }
        // What cannot be read says nothing.
        case .signal: do throws(DBusFormatError) { try take(signal: message, now) } catch {}
        case .call, nil: break
        }
    }

    private mutating func take(answer message: DBusMessage, to question: Question, _ now: BootTime) {
        switch question {
        case .hello, .match, .filter, .ping: break
        case .start: settle(nil)
        case .objects:
            owner = message.sender
            adapters = [:]
            adapter = nil
            beacons.removeAll()
            if message.signature == "a{oa{sa{sv}}}" {
                var values = message.values
                do throws(DBusFormatError) {
                    try values.dictionary { (values) throws(DBusFormatError) in
                        let path = try values.string()
                        let object = try BlueZObject(interfaces: &values)
                        // What devices said before is of no time that is known.
                        if let device = object.device { _ = beacons.take(device, at: path, now: now) }
                        if let found = object.adapter { note(found, path) }
                    }
                } catch {}
            }
            choose(now)
        }
    }

    private mutating func take(error message: DBusMessage, to question: Question, _ now: BootTime) throws(DeviceError) {
        switch question {
        case .hello, .match: throw BlueZProblem.refusedByBus(message)
        case .objects:
            let problem = BlueZProblem.noObjects(message, isOfBus: message.sender == Self.bus)
            // While BlueZ does not run, the bus reports its start. Otherwise no signal says when to ask again.
            if owner == nil, Self.absence.contains(message.error) { settle(problem) } else { fail(problem, now) }
        // Versions without a filter discover all the same, and an error is an answer.
        case .filter, .ping: break
        case .start:
            if message.error == "org.bluez.Error.InProgress" {
                // Another program may have started discovery. But BlueZ answers so as well after it has crashed, and
                // after the controller has refused to scan, while it does not discover.
                if let adapter, adapters[adapter]?.isDiscovering == true { return settle(nil) }
                nextStep = .expectDiscovery(error: message, now.advanced(bySeconds: Self.discoveryDelay))
                return
            }
            fail(BlueZProblem.noDiscovery(message), now)
        }
    }

    private mutating func take(signal message: DBusMessage, _ now: BootTime) throws(DBusFormatError) {
        var values = message.values
        if message.sender == Self.bus, message.member == "NameOwnerChanged", message.signature == "sss" {
            guard try values.string() == Self.bluez else { return }
            _ = try values.string()
            return ownerChanged(try values.string(), now)
        }
        // The bus lets through what others send to this connection by name.
        guard let owner, message.sender == owner else { return }
        switch (message.member, message.signature) {
        case ("InterfacesAdded", "oa{sa{sv}}"):
            let path = try values.string()
            take(try BlueZObject(interfaces: &values), at: path, now)
        case ("InterfacesRemoved", "oas"):
            let path = try values.string()
            beacons.remove(path)
            guard adapters.removeValue(forKey: path) != nil else { return }
            if adapter == path { adapter = nil }
            choose(now)
        case ("PropertiesChanged", "sa{sv}as"):
            take(try BlueZObject(changes: &values), at: message.path, now)
        default: break
        }
    }

    private mutating func take(_ object: BlueZObject, at path: String, _ now: BootTime) {
        if let device = object.device, let sighting = beacons.take(device, at: path, now: now), adapter != nil {
            events.append(.sighting(sighting))
        }
        guard let changed = object.adapter else { return }
        note(changed, path)
        if path == adapter, adapters[path]?.isPowered == true {
            if changed.isDiscovering == true {
                // Of two programs that start discovery at once, BlueZ answers only one before discovery ends.
                questions = questions.filter { $0.value.question != .start }
                nextStep = .none
                if !isReceiving { settle(nil) }
            } else if isStarting {
                return
            } else if changed.isPowered == true {
                nextStep = .retry(now)
            } else if changed.isDiscovering == false, case .none = nextStep {
                // Something else has ended it.
                nextStep = .retry(now.advanced(bySeconds: retry.take()))
            }
        } else {
            choose(now)
        }
    }

    // MARK: State

    private var isStarting: Bool { questions.values.contains { $0.question == .start } }

    private mutating func note(_ found: BlueZObject.Adapter, _ path: String) {
        let isKnown = adapters[path] != nil
        guard isKnown || adapters.count < Self.maximumAdapters && Self.isPath(path) else { return }
        var adapter = adapters[path] ?? Adapter()
        adapter.isPowered = found.isPowered ?? adapter.isPowered
        adapter.isDiscovering = found.isDiscovering ?? adapter.isDiscovering
        adapters[path] = adapter
    }

    /// True for the path of an object, as D-Bus takes it in a call: it ends the connection over any other.
    private static func isPath(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts.count > 1 && text.utf8.count <= 255
            && parts.enumerated().allSatisfy { place, part in
                part.isEmpty == (place == 0)
                    && part.allSatisfy { byte in
                        switch byte {
                        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                            true
                        default: false
                        }
                    }
            }
    }

    /// Another process has BlueZ's name now, or none has.
    private mutating func ownerChanged(_ new: String, _ now: BootTime) {
        questions = questions.filter { $0.value.question == .hello || $0.value.question == .match }
        adapters = [:]
        adapter = nil
        nextStep = .none
        beacons.removeAll()
        owner = new.isEmpty ? nil : new
        if new.isEmpty {
            settle(BlueZProblem.blueZEnded)
        } else {
            askForObjects(now)
        }
    }

    /// Has the first adapter listen that is switched on, unless that is so already.
    private mutating func choose(_ now: BootTime) {
        if let adapter, adapters[adapter]?.isPowered == true { return }
        adapter = adapters.filter(\.value.isPowered).keys.min()
        nextStep = .none
        guard let adapter else { return settle(adapters.isEmpty ? BlueZProblem.noAdapter : BlueZProblem.switchedOff) }
        if listens { startDiscovery(adapter, now) } else { settle(nil) }
    }

    /// Reports that no beacon can be received, and tries again after a pause.
    private mutating func fail(_ problem: DeviceError, _ now: BootTime) {
        settle(problem)
        nextStep = .retry(now.advanced(bySeconds: retry.take()))
    }

    /// Reports that beacons can be received, or why not.
    private mutating func settle(_ problem: DeviceError?) {
        isReceiving = problem == nil
        if problem == nil { retry.reset() }
        events.append(problem.map { .lost($0) } ?? .regained)
    }
}
