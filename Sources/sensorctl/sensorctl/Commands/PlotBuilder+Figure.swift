// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Plotting
import SensorTools
import SimulatedDevice
import Trace

/// Converts the collected data to a figure. `collectedData`, `offsets`, `startTimes`, `names` and `figure.traces` have
/// one element per source, in the order of `sources`. `trace` and `number` are indices into these arrays.
extension PlotBuilder {
    /// - Parameter offsets: The times at which the sources start on the time axis, in seconds.
    func makeFigure(_ collectedData: [CollectedData], _ offsets: [Double]) -> PlotFigure {
        let names = Self.names(of: sources.map(\.name))
        let start = zip(sources, offsets).compactMap { source, offset in source.from.map { $0 + offset } }.min() ?? 0
        let end = collectedData.map(\.end).max() ?? 0
        var figure = PlotFigure(
            title: PlotText.name(names.joined(separator: ", ")), subtitle: subtitle(start, end, offsets),
            traces: names.map { PlotText.name($0, upTo: 40) }, range: start...max(end, start))
        let tracks = collectedData.enumerated().filter { $0.element.collector.track.count > 0 }.map { number, data in
            TrackChart.Track(
                trace: number, simplifier: data.collector.track, gap: data.collector.intervals[.location]?.gap)
        }
        if !tracks.isEmpty, subjects.contains(.track) { figure.track = TrackChart(tracks: tracks) }
        for (number, data) in collectedData.enumerated() where !data.sky.sorted.isEmpty {
            figure.skies.append(
                SkyChart(trace: number, name: sources.count > 1 ? figure.traces[number] : "", sky: data.sky))
        }
        figure.charts = subjects.compactMap { chart($0, of: collectedData) }
        if subjects.contains(.intervals) { figure.intervals = intervals(of: collectedData) }
        figure.spans = placedSpans(offsets, figure.traces)
        // The receiver's clock may differ from the system clock, so positions may lie outside the recorded time range.
        let extents = figure.charts.flatMap { $0.lines.compactMap(\.series.span) }
        var first = min(start, extents.map(\.lowerBound).min() ?? start)
        let last = max(figure.range.upperBound, extents.map(\.upperBound).max() ?? start)
        // If the data begins late, for example because the receiver took a long time to get its first fix, the time
        // axis begins shortly before the data to leave more space for it.
        if let begin = extents.map(\.lowerBound).min(), begin - first > (last - first) * 0.6 {
            first = begin - (last - begin) * 0.05
        }
        figure.range = last > first ? first...last : first - 0.5...first + 0.5
        return figure
    }

    private func chart(_ subject: PlotSubject, of collectedData: [CollectedData]) -> TimeChart? {
        guard let facts = subject.chart else { return nil }
        var lines: [TimeLine] = []
        for (number, data) in collectedData.enumerated() {
            for name in data.collector.names where name.subject == subject {
                lines.append(
                    TimeLine(
                        name: name.name, trace: number, isUnreliable: name.isUnreliable,
                        series: data.collector.line(name), gap: data.collector.gap(of: name)))
            }
        }
        guard lines.contains(where: { $0.series.count > 0 }) else { return nil }
        return TimeChart(
            name: subject.rawValue, title: facts.title, unit: facts.unit, quantity: facts.quantity, lines: lines,
            height: facts.height)
    }

    private func intervals(of collectedData: [CollectedData]) -> [IntervalChart] {
        streamGroups.joined().compactMap { stream in
            let counters = collectedData.enumerated().compactMap { number, data in
                data.collector.intervals[stream].map { (trace: number, counter: $0) }
            }.filter { $0.counter.count > 0 }
            return counters.isEmpty ? nil : IntervalChart(name: stream.plotName, counters: counters)
        }
    }

    /// Returns each path's file name, preceded by the folder's name if several files have the same name.
    static func names(of paths: [String]) -> [String] {
        let parts = paths.map { $0.split(separator: "/").map(String.init) }
        return parts.map { components in
            let last = components.last ?? ""
            let duplicates = parts.count { $0.last == last }
            return duplicates > 1 && components.count > 1 ? components.suffix(2).joined(separator: "/") : last
        }
    }

    /// Returns the faults' spans on the time axis. Fault times are relative to the start of a recording, so recordings
    /// that start at different positions need separate spans.
    private func placedSpans(_ offsets: [Double], _ names: [String]) -> [PlotSpan] {
        let recorded = sources.indices.filter { sources[$0].trace != nil }
        guard let first = recorded.first, recorded.contains(where: { offsets[$0] != offsets[first] }) else {
            return spans
        }
        return recorded.flatMap { number in
            spans.map { span in
                PlotSpan(
                    start: span.start + offsets[number], end: span.end + offsets[number],
                    label: "\(span.label), \(names[number])", trace: number)
            }
        }
    }

    private func subtitle(_ start: Double, _ end: Double, _ offsets: [Double]) -> String {
        var words: [String] = []
        let starts = zip(zip(startTimes, sources.map { $0.from ?? 0 }), offsets)
        let (begin, from) =
            starts.min { $0.0.1 + $0.1 < $1.0.1 + $1.1 }?.0 ?? (StartTimes(boot: .zero, wall: .epoch), 0)
        if begin.isKnown {
            let date = CivilDate(begin.wall.advanced(bySeconds: from))
            words.append("\(date.date) \(date.timeOfDay) UTC")
        }
        words.append(PlotText.length(end - start))
        if from > 0 { words.append("from \(PlotText.length(from)) on") }
        if !spans.isEmpty { words.append("with faults") }
        return words.joined(separator: ", ")
    }

    /// Exits with an error if there is nothing to draw or if no source has data for a requested subject. Logs the
    /// reasons.
    func checkSubjects(_ collectedData: [CollectedData], isEmpty: Bool) throws {
        var missing: [PlotSubject] = []
        for subject in isChosen ? subjects : [] where subject != .intervals {
            let without = collectedData.indices.filter { !collectedData[$0].has(subject) }
            guard !without.isEmpty else { continue }
            if without.count == collectedData.count { missing.append(subject) }
            for number in without {
                let text = reason(subject, sources[number], collectedData[number].collector)
                if without.count == collectedData.count { Log.error(text) } else { Log.warning(text) }
            }
        }
        if isEmpty, missing.isEmpty {
            let names = sources.map(\.name).joined(separator: ", ")
            Log.error(
                "\(names): there is nothing to plot, neither positions nor sensor readings. `sensorctl info FILE` lists the contents."
            )
        }
        if isEmpty || !missing.isEmpty { try ExitStatus.unavailable.exit() }
    }

    private func reason(_ subject: PlotSubject, _ source: PlotSource, _ collector: PlotCollector) -> String {
        guard let stream = subject.stream else { return "" }
        if (collector.intervals[stream]?.readings ?? 0) > 0 {
            return "\(source.name) has no \(subject.rawValue): its positions do not contain it."
        }
        let what = "\(source.name) has no \(subject.rawValue)"
        if let trace = source.trace, let remark = ReplayCommand.remark(on: trace, without: stream) {
            return "\(what): \(remark)"
        }
        return collector.reasons[stream].map { "\(what): \($0)" } ?? "\(what)."
    }
}

extension PlotFigure {
    /// Returns the figure with speeds, lengths and distances in other units than those of SI.
    func converted(to units: UnitSystem) -> PlotFigure {
        var figure = self
        let lengths = [units.length, units.distance].map { TrackChart.Unit(name: $0.name, metres: 1 / $0.perSI) }
        figure.track?.units = (lengths[0], lengths[1])
        figure.charts = charts.map { chart in
            switch chart.unit {
            case "m/s": chart.scaled(by: units.speed.perSI, unit: units.speed.name)
            case "m": chart.scaled(by: units.length.perSI, unit: units.length.name)
            default: chart
            }
        }
        return figure
    }
}

extension PlotBuilder.CollectedData {
    func has(_ subject: PlotSubject) -> Bool {
        switch subject {
        case .track: collector.track.count > 0
        case .sky: !sky.sorted.isEmpty
        case .intervals: true
        default: collector.names.contains { $0.subject == subject }
        }
    }
}

extension PlotSubject {
    fileprivate var chart: (title: String, unit: String, quantity: PlotQuantity, height: Double)? {
        switch self {
        case .track, .sky, .intervals: nil
        case .speed: ("Speed", "m/s", .amount, 84)
        case .altitude: ("Altitude", "m", .plain, 84)
        case .accuracy: ("Accuracy", "m", .amount, 84)
        case .accelerometer: ("Acceleration", StreamName.accelerometer.unit, .plain, 108)
        case .gyro: ("Rotation rate", StreamName.gyro.unit, .plain, 108)
        case .magnetometer: ("Magnetic field", StreamName.magnetometer.unit, .plain, 108)
        case .pressure: ("Pressure", StreamName.pressure.unit, .plain, 84)
        case .attitude: ("Attitude", "°", .angle, 108)
        case .heading: ("Heading", "°", .bearing, 108)
        }
    }
}
