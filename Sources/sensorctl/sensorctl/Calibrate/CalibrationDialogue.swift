// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization

/// Leads a user through one calibration: hands readings to it, and says what it wants. Readings may come from several
/// threads; what is said comes out in order.
///
/// Unchecked: everything that changes is used under the lock.
final class CalibrationDialogue: @unchecked Sendable {
    private let lock = Mutex<Void>(())
    private let screen: any CalibrationScreen
    private let width: Int
    private let isColored: Bool
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
    ///   - width: the columns that a picture may take.
    ///   - whenDone: called once, when the calibration has its outcome.
    init(
        _ task: any CalibrationTask, screen: any CalibrationScreen, mounts: [SensorKind: MountMatrix] = [:],
        width: Int = 80, isColored: Bool = false,
        whenDone: @escaping @Sendable () -> Void
    ) {
        self.task = task
        self.screen = screen
        self.width = width
        self.isColored = isColored
        self.mounts = mounts
        self.whenDone = whenDone
    }

    /// Says what the first step is.
    func begin() {
        lock.withLock { _ in
            screen.say(task.topic.title)
            tell(at: 0)
        }
    }

    func take(_ event: MotionEvent, kind: SensorKind) {
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
    var hasBegun: Bool { lock.withLock { _ in hasReadings } }

    /// Ends it: what was found, or why nothing was.
    func finish() -> Result<CalibrationOutcome, CalibrationShortfall> {
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

    /// Says what has changed.
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
        var canvas = Canvas(width: width, height: 1)
        let text = String(format: "%3.0f %%  ", task.progress * 100)
        canvas.put(text, x: 2, y: 0, color: Palette.text, bold: true)
        Gauges.bar(task.progress, on: &canvas, x: 9, y: 0, width: min(width - 11, 50))
        var rows = canvas.rows(colored: isColored)
        rows.append("  " + String(task.status.prefix(max(width - 3, 0))))
        if let picture = task.picture(width: width) { rows += picture.rows(colored: isColored) }
        screen.show(rows)
    }
}
