// SPDX-License-Identifier: Apache-2.0

import CoreMotion

/// A program as written for iOS, without its views. It shows the readings and the errors of the accelerometer, the
/// gyroscope and the magnetometer.
public class MotionViewController: NSObject {
    let motionManager = CMMotionManager()
    let queue = OperationQueue()
    /// Prints a line. A test may replace it.
    public var show: (String) -> Void = { text in
        print(text)
        fflush(nil)
    }

    /// Starts the available sensors.
    public func viewDidLoad() {
        if motionManager.isAccelerometerAvailable {
            motionManager.accelerometerUpdateInterval = 0.02
            motionManager.startAccelerometerUpdates(to: OperationQueue.main) { [weak self] (data, error) in
                if let acceleration = data?.acceleration {
                    self?.show("accelerometer", acceleration.x, acceleration.y, acceleration.z, data)
                }
                if let error = error { self?.show("accelerometer failed: \(error.localizedDescription)") }
            }
        } else {
            show("no accelerometer")
        }
        if motionManager.isGyroAvailable {
            motionManager.gyroUpdateInterval = 0.02
            motionManager.startGyroUpdates(
                to: .main,
                withHandler: { data, error in
                    guard let data = data, error == nil else {
                        self.show("gyro failed: \(error?.localizedDescription ?? "")")
                        return
                    }
                    self.show("gyro", data.rotationRate.x, data.rotationRate.y, data.rotationRate.z, data)
                })
        } else {
            show("no gyro")
        }
        if motionManager.isMagnetometerAvailable {
            motionManager.magnetometerUpdateInterval = 0.1
            // A separate queue, as in programs that draw on the main queue.
            motionManager.startMagnetometerUpdates(to: queue) { data, error in
                DispatchQueue.main.async {
                    if let field = data?.magneticField {
                        self.show("magnetometer", field.x, field.y, field.z, data)
                    } else if let error = error {
                        self.show("magnetometer failed: \(error.localizedDescription)")
                    }
                }
            }
        } else {
            show("no magnetometer")
        }
    }

    private func show(_ name: String, _ x: Double, _ y: Double, _ z: Double, _ item: CMLogItem?) {
        show(String(format: "\(name) %+.4f %+.4f %+.4f at %.6f", x, y, z, item?.timestamp ?? -1))
    }
}
