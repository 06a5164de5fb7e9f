// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// The kind of time shown on a time axis.
package enum PlotClock: Sendable {
    case elapsed
    /// Civil time in UTC. The associated value is the time at the origin of the axis.
    case civil(WallTime)
}

/// The ticks of a time axis and the title that states their unit.
package struct TimeTicks: Sendable, Equatable {
    package var ticks: Ticks
    package var title: String

    private init(ticks: Ticks, title: String) { (self.ticks, self.title) = (ticks, title) }

    /// The possible intervals between ticks, in seconds, from 10 s to one day.
    private static let steps: [Double] = [
        10, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
    ]

    package init(_ range: ClosedRange<Double>, count: Int, clock: PlotClock = .elapsed) {
        let length = range.upperBound - range.lowerBound
        switch clock {
        case .elapsed: self = Self.elapsed(range, length, count)
        case .civil(let start): self = Self.civil(range, length, count, start)
        }
    }

    private static func step(_ length: Double, _ count: Int) -> Double {
        let least = length / Double(max(count, 1))
        let nice = niceStep(atLeast: least)
        if nice < 10 { return nice }
        return steps.first { $0 >= least * (1 - 1e-9) } ?? niceStep(atLeast: least / 86_400) * 86_400
    }

    private static func elapsed(_ range: ClosedRange<Double>, _ length: Double, _ count: Int) -> TimeTicks {
        let greatest = max(abs(range.lowerBound), abs(range.upperBound))
        guard length > 0, greatest >= 120, case let step = step(length, count), step >= 1 else {
            return TimeTicks(ticks: .numbers(range, count: count, mayScale: false), title: "Time (s)")
        }
        let values = Ticks.multiples(of: step, in: range)
        let unit = greatest < 7200 ? 60.0 : greatest < 172_800 || step < 86_400 ? 3600 : 86_400
        let name = unit == 60 ? "min" : unit == 3600 ? "h" : "days"
        let isWhole = step.truncatingRemainder(dividingBy: unit) == 0
        if isWhole {
            return TimeTicks(
                ticks: Ticks(values: values, labels: values.map { PlotText.number($0 / unit, decimals: 0) }),
                title: "Time (\(name))")
        }
        let showsSeconds = unit == 60 || step < 60
        let title = unit == 60 ? "min:s" : showsSeconds ? "h:min:s" : "h:min"
        return TimeTicks(
            ticks: Ticks(values: values, labels: values.map { parts($0, hours: unit == 3600, seconds: showsSeconds) }),
            title: "Time (\(title))")
    }

    /// Formats a time as h:min:s (`1:05:09`), min:s (`5:09`) or h:min (`1:05`).
    private static func parts(_ seconds: Double, hours: Bool, seconds showsSeconds: Bool) -> String {
        let whole = Int(abs(seconds).rounded())
        let sign = seconds < 0 && whole > 0 ? "−" : ""
        let (hour, minute, second) = (whole / 3600, whole / 60 % 60, whole % 60)
        let tail = PlotText.digits(second, 2)
        guard hours else { return "\(sign)\(whole / 60):\(tail)" }
        return "\(sign)\(hour):\(PlotText.digits(minute, 2))" + (showsSeconds ? ":\(tail)" : "")
    }

    private static func civil(
        _ range: ClosedRange<Double>, _ length: Double, _ count: Int, _ start: WallTime
    ) -> TimeTicks {
        guard length > 0 else { return TimeTicks(ticks: Ticks(values: [], labels: []), title: "Time (UTC)") }
        let step = step(length, count)
        // Ticks are aligned with the time of day, not with the start of the recording.
        let offset = start.seconds(since: midnight(before: start))
        let day = offset + range.lowerBound...offset + range.upperBound
        let values = Ticks.multiples(of: step, in: day)
        let decimals = Ticks.decimals(step)
        let first = CivilDate(start.advanced(bySeconds: range.lowerBound))
        let last = CivilDate(start.advanced(bySeconds: range.upperBound))
        let spansDays = (first.year, first.month, first.day) != (last.year, last.month, last.day)
        let labels = values.map { value in
            let time = CivilDate(midnight(before: start).advanced(bySeconds: value + 1e-9))
            let text = time.iso8601(decimals: min(decimals, 9))
            if step >= 86_400 { return String(text.prefix(10)) }
            let isMidnight = time.hour == 0 && time.minute == 0 && time.second == 0
            if spansDays, isMidnight { return String(text.prefix(10).dropFirst(5)) }
            return step >= 60 ? String(text.dropFirst(11).prefix(5)) : String(text.dropFirst(11).dropLast())
        }
        let date = first.iso8601(decimals: 0).prefix(10)
        let until = spansDays ? " to \(last.iso8601(decimals: 0).prefix(10))" : ""
        return TimeTicks(
            ticks: Ticks(values: values.map { $0 - offset }, labels: labels), title: "Time (UTC, \(date)\(until))")
    }

    private static func midnight(before time: WallTime) -> WallTime {
        let date = CivilDate(time)
        return CivilDate.time(year: date.year, month: date.month, day: date.day) ?? time
    }
}
