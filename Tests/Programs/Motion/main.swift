// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOSource
import SystemCalls

// Subscribes to motion sensors and prints what comes, a JSON object a line; answers what is asked on its input.
//
//     TestProgramMotion [--interval S] [--latency S] [--samples N] [--sensor ID] [--sensor-axes] KIND…
//
// Asked are: sensors, rate, use, stop, end.

let output = Output()
let wish: Wish
do {
    wish = try Wish(CommandLine.arguments.dropFirst())
} catch {
    output.failure("\(error)")
    exit(64)
}
let configuration = Configuration.load()
for problem in configuration.problems { output.failure(problem.message) }
let source = IIOSource(
    addresses: configuration.motionSources.value, settings: configuration.sensors.value, clock: LiveClock(),
    options: wish.options)
var subscriptions = wish.requests.map { request in
    source.subscribe(request) { event in output.event(event, of: request.kind) }
}
output.ready()
while let question = readLine() {
    switch question {
    case "sensors": output.sensors(source.sensors)
    case "rate":
        let kinds = wish.requests.map(\.kind)
        output.rates(source.sensors.filter { kinds.contains($0.kind) }.map { ($0.id, source.measuredRate(of: $0.id)) })
    case "use": output.use()
    case "stop":
        subscriptions = []
        output.stopped()
    default: exit(0)
    }
}
