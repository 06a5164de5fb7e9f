// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SyntheticMotion
import Trace

/// The first byte selects a list of waypoints or a trace, and the options of the route. The rest is the file.
func fuzzMotion(_ input: UnsafeBufferPointer<UInt8>) {
    let input = [UInt8](input)
    guard let first = input.first else { return }
    let rest = Array(input.dropFirst())
    do throws(DeviceError) {
        if first & 1 == 0 {
            let isOne = WaypointList.isWaypointList(rest)
            let waypoints = try WaypointList.read(rest, name: "input")
            precondition(isOne, "What can be read is seen to be waypoints.")
            var options = RouteOptions()
            if first & 2 != 0 {
                options.acceleration = .infinity
                options.corneringAcceleration = .infinity
            }
            try travel(try MotionRoute(waypoints, options: options), leans: first & 4 != 0)
        } else {
            try travel(try MotionRoute(try TraceFile(bytes: rest, name: "input")), leans: first & 4 != 0)
        }
    } catch {
        precondition(!error.description.isEmpty)
    }
}

private func travel(_ route: MotionRoute, leans: Bool) throws(DeviceError) {
    var options = MotionOptions()
    options.leanMode = leans ? .coordinated : .flat
    let synthesizer = try MotionSynthesizer(route, options: options)
    for part in 0...40 {
        let state = synthesizer.state(at: synthesizer.duration * Double(part) / 40)
        precondition(abs(state.latitude) <= 90 && abs(state.longitude) <= 180 && (0...360).contains(state.heading))
        for axis in 0..<3 {
            precondition(abs(state.specificForce[axis]) < 1e9 && abs(state.rotationRate[axis]) < 1e9)
            precondition(abs(state.velocity[axis]) < 1e6)
        }
    }
}
