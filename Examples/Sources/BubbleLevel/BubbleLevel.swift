// SPDX-License-Identifier: Apache-2.0

import CoreMotion

/// A level on a board's accelerometer, whose zero is kept in a file.
package final class BubbleLevel {
    /// Told what there is to show, on the main queue.
    package var show: (Level.State) -> Void = { _ in }
    /// Told what goes wrong.
    package var report: (String) -> Void = { _ in }
    private let motionManager = CMMotionManager()
    private let file: URL
    private var level: Level

    var zeros: [Level.Face: Level.Tilt] { level.zeros }

    /// A level with the zeros of that file, which need not be there.
    package init(file: URL) {
        self.file = file
        let kept = (try? Data(contentsOf: file)).flatMap {
            try? JSONDecoder().decode([Level.Face: Level.Tilt].self, from: $0)
        }
        level = Level(zeros: kept ?? [:])
    }

    /// Begins to show; false when there is no accelerometer.
    package func start() -> Bool {
        guard motionManager.isAccelerometerAvailable else { return false }
        motionManager.accelerometerUpdateInterval = 0.02
        motionManager.startAccelerometerUpdates(to: .main) { [weak self] data, error in
            if let data { self?.take(data) }
            // It goes on by itself when the sensor is back.
            if let error { self?.report(error.localizedDescription) }
        }
        return true
    }

    /// Ends it.
    package func stop() { motionManager.stopAccelerometerUpdates() }

    /// Calls the surface that the board lies on level, now and in later runs.
    package func calibrate() { level.calibrate() }

    private func take(_ data: CMAccelerometerData) {
        let acceleration = data.acceleration
        let before = level.zeros
        let state = level.update(SIMD3(acceleration.x, acceleration.y, acceleration.z), at: data.timestamp)
        if level.zeros != before { keep() }
        show(state)
    }

    private func keep() {
        do {
            // Atomically: after a power cut there is the old zero or the new one.
            try JSONEncoder().encode(level.zeros).write(to: file, options: .atomic)
        } catch {
            report("The zero cannot be kept: \(error.localizedDescription)")
        }
    }
}
