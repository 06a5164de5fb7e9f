// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SimulatedDevice
import Trace

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Plays traces as a picture in the terminal.",
        usage: "sensorctl demo [<options>] <files> ...",
        discussion: """
            Each trace goes through the real location manager on a virtual clock; the picture shows what its delegate is \
            told. Where standard output is no terminal it prints a few lines instead, without waiting. With --json it does \
            what `replay --json` does. Ctrl-C ends it. See sensorctl --help for the exit codes.

            Examples:
              sensorctl demo drive.jsonl --seconds 10
              sensorctl demo drive.jsonl --region "home=48.137,11.575,200"
            """)

    @Argument(help: "The traces, one after the other.", completion: .file())
    var files: [String]

    @Option(help: "How many seconds each trace takes: one number for all, or one for each, with commas between them.")
    var seconds = "24"

    @Option(
        help: ArgumentHelp(
            "A circle to draw, and to say when it is entered and left: name, latitude, longitude and metres. Repeat it for more.",
            valueName: "name=lat,lon,metres"))
    var region: [NamedRegion] = []

    @OptionGroup var output: OutputOptions

    func validate() throws {
        try Self.refuse(files.isEmpty, "Name a trace.")
        let areTimes = !times.isEmpty && times.allSatisfy { $0 >= 0.5 && $0 <= 86_400 }
        try Self.refuse(
            region.count > 20 || Set(region.map(\.name)).count < region.count,
            "--region takes up to 20 circles, each with a name of its own.")
        try Self.refuse(!areTimes, "--seconds takes numbers from 0.5, with commas between them.")
    }

    private var times: [Double] {
        let times = seconds.split(separator: ",").map { Double($0) }
        return times.contains(nil) ? [] : times.compactMap(\.self)
    }

    func run() async throws {
        // Whoever waits for a pipe is ended by any signal.
        let traces = try files.map { try TraceFile.read(userPath: $0) }
        try await Termination.during { stop in await play(traces, stop: stop) }
    }

    @MainActor private func play(_ files: [TraceFile], stop: Stop) async -> ExitStatus {
        if output.json {
            for file in files where stop.reason == nil {
                let plan = ListenerPlan(stream: .location, asJSON: true, interval: 0)
                await ReplayCommand.replay(file, stamps: .kept, speed: .max, plan: plan, stop: stop)
            }
            return stop.status()
        }
        let standardOutput = StandardOutput(stop: stop)
        let traces = files.map { DemoTrace($0, regions: region) }
        var endings: [String] = []
        if Descriptor.standardOutput.showsPictures {
            let terminal = TerminalScreen(.standardOutput)
            Notes.hold()
            terminal.begin()
            for (index, trace) in traces.enumerated() where stop.reason == nil {
                let time = times[min(index, times.count - 1)]
                let state = await DemoPlayer(trace: trace, stop: stop).show(on: terminal, within: time)
                endings.append(DemoSummary.end(trace, state))
            }
            terminal.restore()
            Notes.release()
            for ending in endings { standardOutput.write(line: ending) }
        } else {
            for trace in traces where stop.reason == nil {
                standardOutput.write(line: trace.title)
                let state = await DemoPlayer(trace: trace, stop: stop).summarize(on: standardOutput)
                standardOutput.write(line: DemoSummary.end(trace, state))
            }
        }
        return stop.status()
    }
}
