// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import Synchronization

/// Leads a user through one calibration: hands readings to it, and says what it wants. Readings may come from several
/// threads; what is said comes out in order.
///
/// Unchecked: everything that changes is used under the lock.
package final class CalibrationDialogue: @unchecked Sendable {
    private let lock = Mutex<Void>(())
    private let screen: any CalibrationScreen
    private let mounts: [SensorKind: MountMatrix]
    private let whenDone: @Sendable () -> Void
    private var task: any CalibrationTask
    private var said: (instruction: String, hint: String?) = ("", nil)
    private var quarter = 0
    private var hasReadings = false
    private var drawnAt: Double?
    private var lastHint = -Double.infinity
    private var isOver = false

    /// - Parameters:
    ///   - mounts: what turns the readings of a sensor into the axes that the task wants.
    ///   - whenDone: called once, when the calibration has its outcome.
    package init(
        _ task: any CalibrationTask, screen: any CalibrationScreen, mounts: [SensorKind: MountMatrix] = [:],
        whenDone: @escaping @Sendable () -> Void
    ) {
        self.task = task
        self.screen = screen
        self.mounts = mounts
        self.whenDone = whenDone
    }

    package func begin() {
        lock.withLock { _ in
            screen.say(task.topic.title)
            tell(at: 0)
        }
    }

    package func take(_ event: MotionEvent, kind: SensorKind) {
        let isDone = lock.withLock { _ -> Bool in
            guard !isOver else { return false }
            switch event {
            case .samples(let batch): take(batch)
            case .lost(let error): screen.say("  \(kind.name): \(error.description)")
            case .regained: screen.say("  \(kind.name) is back.")
            }
            guard task.outcome != nil else { return false }
            isOver = true
            return true
        }
        if isDone { whenDone() }
    }

    /// True once readings of the sensor in question have come.
    package var hasBegun: Bool { lock.withLock { _ in hasReadings } }

    /// Ends it: what was found, or why nothing was.
    package func finish() -> Result<CalibrationOutcome, CalibrationShortfall> {
        lock.withLock { _ in
            isOver = true
            guard hasReadings else {
                return .failure(CalibrationShortfall(reason: "No readings of the \(task.topic.kind.name) came."))
            }
            return task.finish()
        }
    }

    private func take(_ batch: MotionBatch) {
        for index in 0..<batch.count {
            guard task.outcome == nil else { break }
            let value = mounts[batch.kind]?.apply(to: batch.values[index]) ?? batch.values[index]
            let sample = CalibrationSample(kind: batch.kind, value: value, seconds: batch.times[index].seconds)
            if batch.kind == task.topic.kind { hasReadings = true }
            task.take(sample)
            tell(at: sample.seconds)
        }
        if let last = batch.times.last { draw(at: last.seconds) }
    }

    private func tell(at time: Double) {
        if task.instruction != said.instruction {
            said.instruction = task.instruction
            screen.say("  \(task.instruction)")
        }
        if task.hint != said.hint, time - lastHint > 1 || time < lastHint {
            said.hint = task.hint
            if let hint = task.hint {
                lastHint = time
                screen.say("    \(hint)")
            }
        }
        let reached = Int(task.progress * 4)
        guard !screen.showsPictures, task.tellsProgress, reached > quarter else { return }
        quarter = reached
        screen.say("    \(reached * 25) %: \(task.status)")
    }

    private func draw(at time: Double) {
        guard screen.showsPictures else { return }
        if let drawnAt, time >= drawnAt, time - drawnAt < 0.1 { return }
        drawnAt = time
        screen.show(task)
    }
}

/// Where a guided calibration speaks to its user.
package protocol CalibrationScreen: AnyObject {
    /// True when pictures are shown, so that progress need not be told in words.
    var showsPictures: Bool { get }

    /// Says something that stays.
    func say(_ line: String)

    /// Shows how far it has come, in place of what was shown before.
    func show(_ task: any CalibrationTask)

    /// Takes away what was shown.
    func clear()
}

/// Lines, one below the other.
package final class LineScreen: CalibrationScreen {
    package let showsPictures = false
    private let write: (String) -> Void

    package init(_ write: @escaping (String) -> Void) { self.write = write }

    package func say(_ line: String) { write(line) }
    package func show(_ task: any CalibrationTask) {}
    package func clear() {}
}
