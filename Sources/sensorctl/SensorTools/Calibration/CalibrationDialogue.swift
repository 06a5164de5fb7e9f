// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Synchronization

/// Guides a user through a calibration. Readings may arrive on several threads, so a lock serializes the output and
/// protects all mutable state.
package final class CalibrationDialogue: @unchecked Sendable {
    private let lock = Mutex<Void>(())
    private let screen: any CalibrationScreen
    private let mounts: [SensorKind: MountMatrix]
    private let whenDone: @Sendable () -> Void
    private var task: any CalibrationTask
    private var lastPrinted: (instruction: String, hint: String?) = ("", nil)
    private var printedQuarter = 0
    private var hasReadings = false
    private var drawnAt: Double?
    private var lastHintTime = -Double.infinity
    private var isFinished = false

    /// Creates a dialogue. The matrices in `mounts` convert readings to the axes that the task expects. `whenDone` is
    /// called once, on the thread that delivered the last reading.
    package init(
        _ task: any CalibrationTask, screen: any CalibrationScreen, mounts: [SensorKind: MountMatrix] = [:],
        whenDone: @escaping @Sendable () -> Void
    ) {
        (self.task, self.screen, self.mounts, self.whenDone) = (task, screen, mounts, whenDone)
    }

    package func begin() {
        lock.withLock { _ in
            screen.print(task.topic.title)
            printUpdates(at: 0)
        }
    }

    package func process(_ event: MotionEvent, kind: SensorKind) {
        let isDone = lock.withLock { _ -> Bool in
            guard !isFinished else { return false }
            switch event {
            case .samples(let batch): process(batch)
            case .lost(let error): screen.print("  \(kind.name): \(error.description)")
            case .regained: screen.print("  \(kind.name): The readings have resumed.")
            }
            guard task.outcome != nil else { return false }
            isFinished = true
            return true
        }
        if isDone { whenDone() }
    }

    package var hasBegun: Bool { lock.withLock { _ in hasReadings } }

    package func finish() -> Result<CalibrationOutcome, CalibrationFailure> {
        lock.withLock { _ in
            isFinished = true
            guard hasReadings else {
                return .failure(CalibrationFailure(reason: "The \(task.topic.kind.name) delivered no readings."))
            }
            return task.finish()
        }
    }

    private func process(_ batch: MotionBatch) {
        for index in 0..<batch.count {
            guard task.outcome == nil else { break }
            let value = mounts[batch.kind]?.apply(to: batch.values[index]) ?? batch.values[index]
            let sample = CalibrationSample(kind: batch.kind, value: value, seconds: batch.times[index].seconds)
            if batch.kind == task.topic.kind { hasReadings = true }
            task.process(sample)
            printUpdates(at: sample.seconds)
        }
        if let last = batch.times.last { draw(at: last.seconds) }
    }

    private func printUpdates(at time: Double) {
        if task.instruction != lastPrinted.instruction {
            lastPrinted.instruction = task.instruction
            screen.print("  \(task.instruction)")
        }
        if task.hint != lastPrinted.hint, time - lastHintTime > 1 || time < lastHintTime {
            lastPrinted.hint = task.hint
            if let hint = task.hint {
                lastHintTime = time
                screen.print("    \(hint)")
            }
        }
        let currentQuarter = Int(task.progress * 4)
        guard !screen.showsPictures, task.reportsProgress, currentQuarter > printedQuarter else { return }
        printedQuarter = currentQuarter
        screen.print("    \(currentQuarter * 25) %: \(task.status)")
    }

    private func draw(at time: Double) {
        guard screen.showsPictures else { return }
        if let drawnAt, time >= drawnAt, time - drawnAt < 0.1 { return }
        drawnAt = time
        screen.show(task)
    }
}

/// The screen on which a guided calibration prints its text and displays its progress.
package protocol CalibrationScreen: AnyObject {
    /// True if ``show(_:)`` displays progress as a picture, so that progress is not printed as text.
    var showsPictures: Bool { get }

    func print(_ line: String)

    /// Displays the task's progress, replacing the previous display.
    func show(_ task: any CalibrationTask)

    func clear()
}

/// A screen that prints lines and does not display progress.
package final class LineScreen: CalibrationScreen {
    package let showsPictures = false
    private let write: (String) -> Void

    package init(_ write: @escaping (String) -> Void) { self.write = write }

    package func print(_ line: String) { write(line) }
    package func show(_ task: any CalibrationTask) {}
    package func clear() {}
}
