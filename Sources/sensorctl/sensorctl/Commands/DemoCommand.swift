// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SensorTools
import SimulatedDevice
import Trace
import TraceFormats

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Play recordings as an animation in the terminal.",
        usage: "sensorctl demo [<options>] <files> ...",
        discussion: """
            The animation shows the callbacks of a location manager on a virtual clock. If standard output is not a \
            terminal, the command prints a few lines instead.

            Examples:
              sensorctl demo drive.jsonl --seconds 10
              sensorctl demo drive.jsonl --region "home=48.137,11.575,200"
            """)

    @Argument(help: "The recordings to play, one after the other.", completion: .file()) var files: [String]

    @Option(
        help:
            "How long to play each trace. Specify one time for all traces, or one time per trace, separated by commas."
    )
    var seconds = "24"

    @Option(
        help: .init(
            "A region to draw and monitor: its name, latitude, longitude and radius in metres. This option may be repeated.",
            valueName: "name=lat,lon,metres"), transform: NamedRegion.parse)
    var region: [NamedRegion] = []

    @Option(help: UnitSystem.help) var units = UnitSystem.metric
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try Self.rejectIf(files.isEmpty, "Name a trace.")
        let areTimes = !times.isEmpty && times.allSatisfy { $0 >= 0.5 && $0 <= 86_400 }
        try NamedRegion.validate(region)
        try Self.rejectIf(!areTimes, "--seconds must be times from 0.5s to 24h, separated by commas, such as 10s,1:30.")
    }

    private var times: [Double] {
        let times = seconds.split(separator: ",", omittingEmptySubsequences: false).map { TimeText.seconds($0) }
        return times.contains(nil) ? [] : times.compactMap(\.self)
    }

    func run() async throws {
        try await Termination.run(
            reading: try files.map { try RecordingFile.read(userPath: $0, options: .init()).trace }
        ) { traces, stop in
            await play(traces, stop: stop)
        }
    }

    @MainActor private func play(_ files: [TraceFile], stop: StopRequest) async -> ExitStatus {
        if output.json {
            for file in files where stop.reason == nil {
                let plan = ListenerOptions(stream: .location, asJSON: true, interval: 0)
                await ReplayCommand.replay(file, stamps: .recorded, speed: .max, plan: plan, stop: stop)
            }
            return stop.status()
        }
        let traces = files.map { DemoTrace($0, regions: region, units: units) }
        guard let empty = traces.first(where: { !$0.hasPositions })?.file else { return await show(traces, stop: stop) }
        Log.error(
            ReplayCommand.remark(on: empty, without: .location)
                ?? "\(empty.name) contains no positions, so there is nothing to show.")
        return .dataError
    }

    @MainActor private func show(_ traces: [DemoTrace], stop: StopRequest) async -> ExitStatus {
        let standardOutput = StandardOutput(stop: stop)
        var endings: [String] = []
        if Descriptor.standardOutput.showsPictures {
            let terminal = TerminalScreen(.standardOutput)
            Log.suspend()
            terminal.begin()
            for (index, trace) in traces.enumerated() where stop.reason == nil {
                let time = times[min(index, times.count - 1)]
                let state = await DemoPlayer(trace: trace, stop: stop).show(on: terminal, within: time)
                endings.append(DemoSummary.end(trace, state))
            }
            terminal.restore()
            Log.resume()
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
