// SPDX-License-Identifier: Apache-2.0

import CoreMotion

/// A level that uses a board's accelerometer and stores its zeros in a file.
package final class BubbleLevel {
    /// Called with each state to show, on the main queue.
    package var show: (Level.State) -> Void = { _ in }
    /// Called with error messages.
    package var report: (String) -> Void = { _ in }
    private let motionManager = CMMotionManager()
    private let file: URL
    private var level: Level

    var zeros: [Level.Face: Level.Tilt] { level.zeros }

    /// Creates a level with the zeros from a file, if the file exists.
    package init(file: URL) {
        self.file = file
        let kept = (try? Data(contentsOf: file)).flatMap {
            try? JSONDecoder().decode([Level.Face: Level.Tilt].self, from: $0)
        }
        level = Level(zeros: kept ?? [:])
    }

    /// Starts the level. Returns false if no accelerometer is available.
    package func start() -> Bool {
        guard motionManager.isAccelerometerAvailable else { return false }
        motionManager.accelerometerUpdateInterval = 0.02
        motionManager.startAccelerometerUpdates(to: .main) { [weak self] data, error in
            if let data { self?.take(data) }
            // Updates resume automatically when the sensor is available again.
            if let error { self?.report(error.localizedDescription) }
        }
        return true
    }

    /// Stops the level.
    package func stop() { motionManager.stopAccelerometerUpdates() }

    /// Calibrates the level to the surface on which the board lies, for this run and later ones.
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
            // Writes atomically, so that a power failure leaves either the old zeros or the new ones.
            try JSONEncoder().encode(level.zeros).write(to: file, options: .atomic)
        } catch {
            report("The zero cannot be kept: \(error.localizedDescription)")
        }
    }
}
