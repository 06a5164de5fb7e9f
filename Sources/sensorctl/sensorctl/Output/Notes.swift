// SPDX-License-Identifier: Apache-2.0

import Logging
import SensorTools
import Synchronization

/// Standard error: what the program says besides its data. It can be held back while a picture is on the terminal.
enum Notes {
    private static let held = Mutex<[String]?>(nil)
    private static let heldLimit = 100
    /// True when nobody has read a note for two seconds: the next ones do not wait.
    private static let isUnread = Mutex(false)
    private static let logger = Logger(label: "sensorctl")

    /// Says something that is good to know.
    static func say(_ text: String) { logger.notice("\(text)") }

    /// Says something that is not as it should be.
    static func warn(_ text: String) { logger.warning("\(text)") }

    /// Says why the program cannot do what it was asked.
    static func fail(_ text: String) { logger.error("\(text)") }

    /// Sends all logs to standard error. Called once, first of all.
    static func bootstrap() { LoggingSystem.bootstrap { NoteHandler(label: $0) } }

    /// Keeps notes back until `release`.
    static func hold() { held.withLock { $0 = $0 ?? [] } }

    static func release() {
        for line in held.withLock({ $0.take() }) ?? [] { write(line) }
    }

    fileprivate static func take(_ line: String) {
        let isHeld = held.withLock { held -> Bool in
            guard held != nil else { return false }
            if (held?.count ?? 0) < heldLimit { held?.append(line) }
            return true
        }
        if !isHeld { write(line) }
    }

    private static func write(_ line: String) {
        // Where notes cannot be written either, nobody is left to be told, and who does not read them holds nobody up.
        var waits = isUnread.withLock { $0 } ? 20 : 0
        let outcome = Descriptor.standardError.write(
            Printable.lines(line + "\n"),
            isPatient: {
                waits += 1
                return waits < 20
            })
        isUnread.withLock { $0 = outcome != .written }
    }
}

private struct NoteHandler: LogHandler {
    let label: String
    var logLevel = Logger.Level.notice
    var metadata = Logger.Metadata()

    init(label: String) { self.label = label }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let mark = event.level >= .warning ? "\(event.level): " : ""
        Notes.take("\(label): \(mark)\(event.message)")
    }
}
