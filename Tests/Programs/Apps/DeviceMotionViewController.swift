// SPDX-License-Identifier: Apache-2.0

import CoreMotion

/// The motion program of a book of 2012, in Swift and without its views. While it is visible, it shows the acceleration
/// and the attitude of the device.
public class DeviceMotionViewController: NSObject {
    let motionManager = CMMotionManager()
    /// Prints a line. A test may replace it.
    public var show: (String) -> Void = { text in
        print(text)
        fflush(nil)
    }

    /// Starts device motion updates.
    public func viewDidAppear(_ animated: Bool) {
        guard motionManager.isDeviceMotionAvailable else {
            show("no device motion")
            return
        }
        motionManager.deviceMotionUpdateInterval = 0.1
        motionManager.startDeviceMotionUpdates(to: OperationQueue.main) { [weak self] (motion, error) in
            if let motion = motion {
                self?.showMotion(motion)
            } else if let error = error {
                self?.show("Failed: \(error.localizedDescription)")
            }
        }
    }

    /// Stops device motion updates.
    public func viewDidDisappear(_ animated: Bool) {
        motionManager.stopDeviceMotionUpdates()
    }

    private func showMotion(_ motion: CMDeviceMotion) {
        let acceleration = motion.userAcceleration
        let attitude = motion.attitude
        show(
            String(
                format: "x %.1f y %.1f z %.1f pitch %.1f yaw %.1f roll %.1f", acceleration.x, acceleration.y,
                acceleration.z, degrees(attitude.pitch), degrees(attitude.yaw), degrees(attitude.roll)))
    }

    private func degrees(_ radians: Double) -> Double {
        radians * 180 / Double.pi
    }
}
