// SPDX-License-Identifier: Apache-2.0

import Dispatch
import SensorTools
import Synchronization
import Trace

/// Shows on standard error what a command has been doing for more than a second, such as
/// `Reading drive.trace: 43 %, 6 s`.
///
/// The text appears only in a terminal that supports control sequences. It is erased by ``end()``, and before a log
/// message is written. Activities must not overlap.
struct Activity {
    /// The time until the text appears, and the time between two updates, in seconds.
    private static let (delay, interval) = (1.0, 0.25)
    /// True while a text is visible. Also serializes the output to the terminal.
    private static let isVisible = Mutex(false)
    private static let eraseLine = "\(TerminalStyle.escape)1G\(TerminalStyle.escape)2K"

    /// nil if standard error is not a suitable terminal.
    private let timer: (any DispatchSourceTimer)?

    /// Begins an activity. The progress is that of ``ReadProgress``.
    init(_ text: String) {
        guard Descriptor.standardError.showsPictures else {
            timer = nil
            return
        }
        ReadProgress.reset()
        let start = ContinuousClock.now
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "sensorctl.activity"))
        timer.schedule(deadline: .now() + Self.delay, repeating: Self.interval)
        timer.setEventHandler {
            let seconds = Int((ContinuousClock.now - start).components.seconds)
            Self.isVisible.withLock { isVisible in
                guard !timer.isCancelled else { return }
                isVisible = true
                let width = Descriptor.standardError.terminalSize?.columns ?? 80
                Self.write(Self.eraseLine + Self.line(text, ReadProgress.fraction, seconds, width: width))
            }
        }
        timer.activate()
        self.timer = timer
    }

    func end() {
        timer?.cancel()
        Self.erase()
    }

    /// Erases the text. The next update shows it again.
    static func erase() {
        isVisible.withLock { isVisible in
            if isVisible { write(eraseLine) }
            isVisible = false
        }
    }

    /// Returns the text for the terminal. It is shorter than `width` characters, because a full line would wrap. If
    /// necessary, the beginning of `text` is omitted, because paths differ at their ends.
    static func line(_ text: String, _ fraction: Double?, _ seconds: Int, width: Int) -> String {
        let end = (fraction.map { ": \(Int($0 * 100)) %" } ?? "") + ", \(seconds) s"
        let room = width - 1 - end.count
        let text = TerminalText.text(text)
        if text.count <= room { return text + end }
        return room < 2 ? String(end.dropFirst(2).prefix(max(width - 1, 0))) : "…" + text.suffix(room - 1) + end
    }

    /// Ignores failures, because the terminal may be gone.
    private static func write(_ text: String) {
        var waits = 0
        _ = Descriptor.standardError.write(
            TerminalText.lines(text),
            shouldContinue: {
                waits += 1
                return waits < 2
            })
    }
}
