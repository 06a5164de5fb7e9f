// SPDX-License-Identifier: Apache-2.0

import ExternalAccessory

/// Prints an event as a line of JSON.
func say(_ event: String, _ more: [String: Any] = [:]) {
    var object = more
    object["event"] = event
    guard
        let data = try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
    else { return }
    print(String(decoding: data, as: UTF8.self))
    fflush(stdout)
}

/// Communicates with accessories of one protocol, and prints events as lines of JSON.
///
/// The program opens a session with the first accessory that offers the protocol, and with the next one after that is
/// detached, unless it waits for the command "open" (`--manual`). The commands are lines: open, close, write TEXT,
/// list, count, pause, resume, quit. With `--pattern` received data is only counted and compared with the pattern that
/// simulated accessories send.
class SessionProgram: NSObject {
    let protocolName: String
    let isManual: Bool
    let isPattern: Bool
    let greeting: String?
    private var observers: [NSObjectProtocol] = []
    let manager = EAAccessoryManager.shared()
    let controller = SessionController()
    /// The number of bytes since the session was opened.
    var count = 0
    /// The position of the first byte that differs from the pattern, -1 for none.
    var wrong = -1

    init(protocolName: String, isManual: Bool, isPattern: Bool, greeting: String?) {
        self.protocolName = protocolName
        self.isManual = isManual
        self.isPattern = isPattern
        self.greeting = greeting
        super.init()
        controller.dataReceived = { [unowned self] in self.take() }
        controller.streamEnded = { [unowned self] what in
            say(what, ["count": self.count, "wrong": self.wrong])
        }
        let center = NotificationCenter.default
        let connected = center.addObserver(forName: .EAAccessoryDidConnect, object: nil, queue: nil) {
            [unowned self] note in
            guard let accessory = note.userInfo?[EAAccessoryKey] as? EAAccessory else { return }
            say("connected", ["id": accessory.connectionID, "name": accessory.name])
            self.openFirst()
        }
        let gone = center.addObserver(forName: .EAAccessoryDidDisconnect, object: nil, queue: nil) {
            [unowned self] note in
            guard let accessory = note.userInfo?[EAAccessoryKey] as? EAAccessory else { return }
            if self.controller.accessory === accessory { self.controller.closeSession() }
            say(
                "disconnected",
                [
                    "id": accessory.connectionID, "name": accessory.name, "count": self.count, "wrong": self.wrong,
                    "isConnected": accessory.isConnected,
                ])
            self.openFirst()
        }
        observers = [connected, gone]
        manager.registerForLocalNotifications()
        say("ready")
        openFirst()
    }

    func openFirst() {
        if !isManual, !controller.isOpen { open() }
    }

    func open() {
        guard let accessory = manager.connectedAccessories.first(where: { $0.protocolStrings.contains(protocolName) })
        else { return }
        controller.setup(for: accessory, with: protocolName)
        count = 0
        wrong = -1
        if controller.openSession() {
            say("opened", ["name": accessory.name])
            if let greeting = greeting { controller.write(Data(greeting.utf8)) }
        } else {
            var reason = ""
            do {
                _ = try EASession(opening: accessory, protocol: protocolName)
            } catch {
                reason = "\(error)"
            }
            say("refused", ["reason": reason])
        }
    }

    func take() {
        let data = controller.takeReceived()
        if isPattern {
            for byte in data {
                let place = UInt32(count % 65_521)
                if wrong < 0, byte != UInt8(truncatingIfNeeded: place &* 167 &+ place >> 8) { wrong = count }
                count += 1
            }
        } else {
            count += data.count
            say("read", ["text": String(decoding: data, as: UTF8.self)])
        }
    }

    func obey(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        switch words.first {
        case "open": open()
        case "close":
            controller.closeSession()
            say("closed")
        case "write": controller.write(Data((words.count > 1 ? words[1] + "\r\n" : "").utf8))
        case "pause": controller.isPaused = true
        case "resume": controller.isPaused = false
        case "list": say("list", ["names": manager.connectedAccessories.map { $0.name }])
        case "count": say("count", ["count": count, "wrong": wrong])
        default:
            // In newer C libraries exit() waits for the thread that reads standard input.
            fflush(stdout)
            _exit(0)
        }
    }
}
