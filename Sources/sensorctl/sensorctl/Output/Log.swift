// SPDX-License-Identifier: Apache-2.0

import Logging
import SensorTools
import Synchronization

/// Writes log messages to standard error. Messages can be held back while the terminal shows an animation.
enum Log {
    /// The messages that are held back, or nil if messages are written immediately.
    private static let held = Mutex<[String]?>(nil)
    /// The maximum number of messages that are held back. Later messages are dropped.
    private static let heldLimit = 100
    /// True if the previous message was not written in time, which reduces the time limit for the next one from 2 s to
    /// 0.1 s.
    private static let isReaderStalled = Mutex(false)
    private static let logger = Logger(label: "sensorctl")

    static func notice(_ text: String) { logger.notice("\(text)") }
    static func warning(_ text: String) { logger.warning("\(text)") }
    static func error(_ text: String) { logger.error("\(text)") }

    /// Returns the result of `body`, or logs its error and returns nil.
    static func attempt<Value>(_ body: () throws -> Value) -> Value? {
        do { return try body() } catch {
            Self.error("\(error)")
            return nil
        }
    }

    /// Sets up logging. Must be called once, before the first message is logged.
    static func bootstrap() { LoggingSystem.bootstrap { MessageLogHandler(label: $0) } }

    /// Holds messages back until ``resume()`` is called.
    static func suspend() { held.withLock { $0 = $0 ?? [] } }

    static func resume() { for line in held.withLock({ $0.take() }) ?? [] { write(line) } }

    fileprivate static func append(_ line: String) {
        let isHeld = held.withLock { held -> Bool in
            guard held != nil else { return false }
            if (held?.count ?? 0) < heldLimit { held?.append(line) }
            return true
        }
        if !isHeld { write(line) }
    }

    private static func write(_ line: String) {
        Activity.erase()
        // Ignores write errors, because there is nowhere else to report them. Limits the number of 100 ms waits,
        // because a stalled reader must not block the program.
        var waits = isReaderStalled.withLock { $0 } ? 20 : 0
        let outcome = Descriptor.standardError.write(
            TerminalText.lines(line + "\n"),
            shouldContinue: {
                waits += 1
                return waits < 20
            })
        isReaderStalled.withLock { $0 = outcome != .written }
    }
}

private struct MessageLogHandler: LogHandler {
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
        Log.append("\(label): \(mark)\(event.message)")
    }
}
