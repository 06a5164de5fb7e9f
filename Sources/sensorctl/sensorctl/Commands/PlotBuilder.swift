// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Plotting
import SimulatedDevice
import Trace
import TraceEditing

/// A figure's source: a recording, or a file of callbacks written by `replay`.
enum PlotSource {
    case recording(TraceFile, PlaybackOptions)
    case callbacks(RecordedCallbacks)

    var name: String {
        switch self {
        case .recording(let trace, _): trace.name
        case .callbacks(let callbacks): callbacks.name
        }
    }

    var trace: TraceFile? { if case .recording(let trace, _) = self { trace } else { nil } }
    /// The time at which playback starts, or nil for a file of callbacks.
    var from: Double? {
        if case .recording(_, let options) = self { max(options.from, .zero).inSeconds } else { nil }
    }
}

/// Plays recordings through the location and motion managers and plots the callbacks.
struct PlotBuilder {
    let sources: [PlotSource]
    let subjects: [PlotSubject]
    /// True if the user selected the subjects, or false if all available subjects are drawn.
    let isChosen: Bool
    let align: TraceMerger.Alignment?
    let reference: ReferenceOptions
    /// The fault intervals, in seconds since the start of each recording.
    let spans: [PlotSpan]

    struct CollectedData {
        let collector: PlotCollector
        var sky = SkyTracks()
        /// The end of the data on the time axis, in seconds, or 0 for a file of callbacks.
        var end = 0.0
    }

    @MainActor func figure(until stop: StopRequest) async throws -> PlotFigure {
        let offsets = try offsets()
        var collectedData: [CollectedData] = []
        for ((source, begin), offset) in zip(zip(sources, startTimes), offsets) {
            let collector = PlotCollector(origin: begin.boot, start: begin.wall, offset: offset)
            switch source {
            case .recording(let trace, let options):
                collectedData.append(await play(trace, options, to: collector, begin, until: stop))
            case .callbacks(let callbacks): collectedData.append(collect(callbacks, with: collector))
            }
        }
        let figure = makeFigure(collectedData, offsets)
        guard stop.reason == nil else { return figure }
        try checkSubjects(collectedData, isEmpty: figure.isEmpty)
        return figure
    }

    /// The streams to play, grouped by playback run. All sensors share a run, because they do not affect one another.
    /// Every other stream has its own run.
    var streamGroups: [[StreamName]] {
        let all: [StreamName] = [.location, .accelerometer, .gyro, .magnetometer, .pressure, .deviceMotion, .heading]
        let wanted = subjects == [.intervals] ? all : all.filter { stream in subjects.contains { $0.stream == stream } }
        return [wanted.filter(\.isSensor)] + wanted.filter { !$0.isSensor }.map { [$0] }
    }

    private func collect(_ callbacks: RecordedCallbacks, with collector: PlotCollector) -> CollectedData {
        let wanted = Set(streamGroups.joined())
        let (invalidCount, first) = callbacks.deliver(to: collector) { wanted.contains($0) }
        if invalidCount > 0 {
            Log.warning("\(callbacks.name): \(invalidCount) lines are not callbacks; the first is line \(first).")
        }
        return CollectedData(collector: collector)
    }

    @MainActor private func play(
        _ trace: TraceFile, _ options: PlaybackOptions, to collector: PlotCollector, _ begin: StartTimes,
        until stop: StopRequest
    ) async -> CollectedData {
        let activity = Activity("Playing \(trace.name)")
        defer { activity.end() }
        var data = CollectedData(collector: collector)
        let kinds = Set(trace.findSensors().map(\.kind))
        var warnings: [TraceWarning] = []
        for group in streamGroups where !group.isEmpty && stop.reason == nil {
            if group.allSatisfy({ $0.isSensor && !kinds.isSuperset(of: $0.sensors) }) { continue }
            let simulated = SimulatedDevice(trace, stamps: .recorded, options: options)
            collector.clock = simulated.device.clock
            let listeners = simulated.use {
                group.map { stream in
                    ListenerOptions(
                        stream: stream, asJSON: false, interval: 0, frame: reference.frame,
                        edge: reference.orientation, origin: begin.boot
                    ).listener(on: simulated.device, outlet: ReadingOutlet(collector, stop: stop))
                }
            }
            let sky =
                group == [.location] && subjects.contains(.sky)
                ? SatelliteCollector(simulated.device.positionSource) : nil
            for listener in listeners { await simulated.use { await listener.start() } }
            await simulated.play(.max, until: stop)
            for listener in listeners { await listener.end() }
            if let sky { data.sky = sky.end() }
            data.end = max(data.end, collector.offset + simulated.device.clock.now.seconds(since: begin.boot))
            if warnings.isEmpty { warnings = simulated.warnings }
        }
        for remark in trace.remarks(on: warnings) { Log.warning(remark) }
        return data
    }

    struct StartTimes {
        let boot: BootTime
        let wall: WallTime

        init(of trace: TraceFile) {
            boot = trace.header?.start?.boot ?? .zero
            wall = SimulatedDevice(trace).wallTime
        }

        init(boot: BootTime, wall: WallTime) { (self.boot, self.wall) = (boot, wall) }

        var isKnown: Bool { wall != .epoch }
    }

    /// The start time of each source. A file of callbacks has the start time of the first recording.
    var startTimes: [StartTimes] {
        let recorded = sources.map { $0.trace.map { StartTimes(of: $0) } }
        let first = recorded.compactMap(\.self).first ?? StartTimes(boot: .zero, wall: .epoch)
        return recorded.map { $0 ?? first }
    }

    /// Returns the time at which each source starts on the time axis, in seconds. The earliest source starts at 0.
    private func offsets() throws -> [Double] {
        let begins = startTimes
        guard sources.count > 1, align != .start else { return begins.map { _ in 0 } }
        guard let first = begins.map(\.wall).min() else { return [] }
        if align == .clock {
            if let number = begins.firstIndex(where: { !$0.isKnown }) {
                Log.error(
                    "\(sources[number].name) contains no start time, so it cannot be aligned with the others. Use --align start to let all recordings begin together."
                )
                try ExitStatus.dataError.exit()
            }
            return begins.map { $0.wall.seconds(since: first) }
        }
        // If all recordings overlap, each begins at its start time. If not, they all begin at zero.
        let ends = zip(begins, sources).compactMap { begin, source in
            source.trace.map { begin.wall.advanced(bySeconds: Double(TraceSummary($0).duration) / 1e9) }
        }
        let latest = begins.map(\.wall).max() ?? first
        let overlap = begins.allSatisfy(\.isKnown) && ends.allSatisfy { $0 > latest }
        return overlap ? begins.map { $0.wall.seconds(since: first) } : begins.map { _ in 0 }
    }

    func civilClock() throws -> PlotClock {
        let begins = startTimes
        guard let first = (try offsets()).firstIndex(of: 0), begins[first].isKnown else {
            Log.error("\(sources.first?.name ?? "") contains no start time: omit --clock.")
            try ExitStatus.dataError.exit()
            return .elapsed
        }
        return .civil(begins[first].wall)
    }
}
