// SPDX-License-Identifier: Apache-2.0

import CoreMotion

/// The motion program of a book of 2012, in Swift and without its views: while it can be seen it shows how the device is
/// moved and how it is turned.
public class DeviceMotionViewController: NSObject {
    let motionManager = CMMotionManager()
    /// Shows a line; a test may look at it instead.
    public var show: (String) -> Void = { text in
        print(text)
        fflush(nil)
    }

    /// Starts to follow the device.
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

    /// Stops it.
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
