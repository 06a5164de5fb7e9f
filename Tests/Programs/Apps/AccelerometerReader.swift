// SPDX-License-Identifier: Apache-2.0

import DeviceSupport

let accelerometerFrequency = 50  // Hz
let filteringFactor = 0.1

/// Listings 8-3 to 8-6 of the iPhone Application Programming Guide of 2010, in Swift: the accelerometer is configured,
/// read, and filtered in two ways.
public class AccelerometerReader: NSObject, UIAccelerometerDelegate {
    // Listing 8-5: the gravity component.
    var gravity = (x: 0.0, y: 0.0, z: 0.0)
    // Listing 8-6 as printed: the output is fed back into itself.
    var printed = (x: 0.0, y: 0.0, z: 0.0)
    // Listing 8-6 as its text intends: the reading without its low-pass component.
    var meant = (x: 0.0, y: 0.0, z: 0.0)
    /// The number of remaining readings.
    public var rest = 100
    /// Prints a line. A test may replace it.
    public var show: (String) -> Void = { text in
        print(text)
        fflush(nil)
    }

    /// Listing 8-3. The integer division yields 0, as in the listing.
    public func configureAccelerometer() {
        let accelerometer = UIAccelerometer.shared()
        accelerometer.updateInterval = TimeInterval(1 / accelerometerFrequency)
        accelerometer.delegate = self
        // Delegate events begin immediately.
        show(String(format: "interval %.3f", accelerometer.updateInterval))
    }

    /// Listing 8-4, with the filters of 8-5 and 8-6.
    public func accelerometer(_ accelerometer: UIAccelerometer, didAccelerate acceleration: UIAcceleration) {
        let x = acceleration.x
        let y = acceleration.y
        let z = acceleration.z

        gravity.x = x * filteringFactor + gravity.x * (1.0 - filteringFactor)
        gravity.y = y * filteringFactor + gravity.y * (1.0 - filteringFactor)
        gravity.z = z * filteringFactor + gravity.z * (1.0 - filteringFactor)

        printed.x = x - (x * filteringFactor + printed.x * (1.0 - filteringFactor))
        printed.y = y - (y * filteringFactor + printed.y * (1.0 - filteringFactor))
        printed.z = z - (z * filteringFactor + printed.z * (1.0 - filteringFactor))

        meant = (x - gravity.x, y - gravity.y, z - gravity.z)

        show(
            line("reading", (x, y, z)) + ", " + line("low-pass", gravity) + ", " + line("high-pass", meant) + ", "
                + line("as printed", printed))
        rest -= 1
        if rest == 0 {
            accelerometer.delegate = nil
            show("stopped")
            exit(0)
        }
    }

    private func line(_ name: String, _ value: (x: Double, y: Double, z: Double)) -> String {
        String(format: "\(name) %+.3f %+.3f %+.3f", value.x, value.y, value.z)
    }
}
