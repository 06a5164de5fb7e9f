// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Observation
import SensorModel

let model = SensorModel()

/// Prints the model now and after each change, like a SwiftUI view that updates itself.
@MainActor func show() {
    withObservationTracking {
        let place = model.location.map { String(format: "%.5f %.5f", $0.coordinate.latitude, $0.coordinate.longitude) }
        let attitude = String(format: "pitch %+.1f roll %+.1f yaw %+.1f", model.pitch, model.roll, model.yaw)
        let words = [place ?? "no position", attitude, model.locationError, model.motionError]
        FileHandle.standardOutput.write(Data((words.compactMap { $0 }.joined(separator: ", ") + "\n").utf8))
    } onChange: {
        Task { @MainActor in show() }
    }
}

show()
model.start()
RunLoop.main.run()
