// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Plotting

@Suite("Decimation of series")
struct SeriesTests {
    private static func series(_ values: [Double], _ quantity: PlotQuantity = .plain, step: Double = 0.01)
        -> SeriesDecimator
    {
        var series = SeriesDecimator(quantity)
        for (index, value) in values.enumerated() { series.add(PlotPoint(time: Double(index) * step, value: value)) }
        return series
    }

    private static func points(_ series: SeriesDecimator) -> [PlotPoint] { series.cells.flatMap(\.points) }

    @Test("A short series keeps all readings in order")
    func few() {
        let values = (0..<1000).map { Double($0 * 7919 % 1000) }
        #expect(Self.points(Self.series(values)).map(\.value) == values)
    }

    @Test("A decimated series keeps the peaks, contains only original readings and uses bounded memory")
    func peaks() {
        var random = SeededGenerator(seed: 7)
        var values = (0..<500_000).map { _ in Double.random(in: -1...1, using: &random) }
        let peaks = [(3, 5.0), (123_456, -9), (250_001, 8), (499_999, 7)]
        for (index, value) in peaks { values[index] = value }
        let series = Self.series(values)
        #expect(series.count == 500_000)
        #expect(series.cells.count <= SeriesDecimator.limit)
        let thin = series.decimated(to: 656, over: 5000)
        #expect(thin.cells.count <= 657)
        for points in [Self.points(series), Self.points(thin)] {
            #expect(points.first == PlotPoint(time: 0, value: values[0]))
            #expect(points.last == PlotPoint(time: 4999.99, value: 7))
            for (index, value) in peaks {
                #expect(points.contains(PlotPoint(time: Double(index) * 0.01, value: value)))
            }
            #expect(points.allSatisfy { $0.value == values[Int(($0.time * 100).rounded())] })
            #expect(zip(points, points.dropFirst()).allSatisfy { $0.time < $1.time })
        }
    }

    @Test("Each cell holds the smallest and the greatest reading of its interval")
    func intervals() throws {
        let values = (0..<100_000).map { Double($0 * 7919 % 10_007) }
        for cell in Self.series(values).decimated(to: 200, over: 1000).cells {
            let first = Int((cell.first.time * 100).rounded())
            let last = Int((cell.last.time * 100).rounded())
            #expect(cell.minimum.value == values[first...last].min())
            #expect(cell.maximum.value == values[first...last].max())
        }
    }

    @Test("Values and times that are not finite or too large are dropped")
    func noNumbers() {
        let series = Self.series([1, .nan, 2, .infinity, -.infinity, 3, 1e300])
        #expect(series.count == 3)
        #expect(Self.points(series).map(\.value) == [1, 2, 3])
        var late = SeriesDecimator()
        late.add(PlotPoint(time: .nan, value: 1))
        late.add(PlotPoint(time: 1e300, value: 1))
        #expect(late.cells.isEmpty && late.extent == nil && late.span == nil)
    }

    @Test("Values outside the circle are not accepted as angles")
    func noAngles() {
        var series = SeriesDecimator(.bearing)
        for (second, value) in [359.5, 1e50, -1, 0, 361, 360].enumerated() {
            series.add(PlotPoint(time: Double(second), value: value))
        }
        #expect(Self.points(series).map(\.value) == [359.5, 0, 360])
        // All remaining bearings point north, so the axis is centered on north.
        #expect(Self.chart(series, .bearing).window.domain.upperBound < 5)
    }

    @Test("The axis of a line that is always zero includes its accuracy band")
    func bandOfZero() {
        var series = SeriesDecimator()
        for second in 0..<10 { series.add(PlotPoint(time: Double(second), value: 0), margin: 9) }
        let domain = Self.chart(series, .plain).window.domain
        #expect(domain.contains(-9) && domain.contains(9) && domain.upperBound < 12)
    }

    @Test("A clock that jumps back and forth does not increase memory use")
    func clocks() {
        var series = SeriesDecimator()
        for index in 0..<100_000 { series.add(PlotPoint(time: Double(index % 2) * 1e6, value: Double(index % 1000))) }
        #expect(series.cells.count <= SeriesDecimator.limit)
        #expect(series.extent == 0...999)
        var still = SeriesDecimator()
        for index in 0..<100_000 { still.add(PlotPoint(time: 5, value: Double(index % 1000))) }
        #expect(still.cells.count <= SeriesDecimator.limit)
        #expect(still.extent == 0...999)
    }

    @Test("Decimation keeps the widest accuracy band, and an unknown accuracy stays unknown")
    func bands() {
        var series = SeriesDecimator()
        for index in 0..<20_000 {
            series.add(PlotPoint(time: Double(index), value: 10), margin: index == 777 ? 5 : index < 10_000 ? 1 : -1)
        }
        #expect(series.extent == 10...10)
        #expect(series.cells.contains { $0.band == 5...15 })
        #expect(series.cells.last?.band == nil)
        #expect(series.cells.first?.band == 9...11)
    }

    @Test("A decimated rotation still wraps at ±180° once per turn")
    func turns() {
        // One turn in 1000 s, sampled at 100 Hz: ten turns.
        let values = (0..<1_000_000).map { index in
            let angle = (Double(index) * 0.0036).truncatingRemainder(dividingBy: 360)
            return angle > 180 ? angle - 360 : angle
        }
        let series = Self.series(values, .angle).decimated(to: 656, over: 10_000)
        // Each cell covers 1/656 of ten turns, so no cell spans the circle.
        #expect(series.cells.allSatisfy { $0.maximum.unwrapped - $0.minimum.unwrapped < 10 })
        let chart = Self.chart(series, .angle)
        #expect(chart.window.isFullCircle)
        #expect(chart.ticks(chart.window, height: 100).labels == ["−180", "−90", "0", "90", "180"])
        let strokes = chart.drawings(columns: 656, over: 10_000, hasSeveralTraces: false)[0].strokes
        #expect(strokes.count == 11)
        for (one, two) in zip(strokes, strokes.dropFirst()) {
            #expect(one.exit?.value == 180 && two.entry?.value == -180)
            #expect(one.exit?.time == two.entry?.time)
        }
    }

    private static func chart(_ series: SeriesDecimator, _ quantity: PlotQuantity) -> TimeChart {
        TimeChart(
            name: "", title: "", unit: "°", quantity: quantity,
            lines: [TimeLine(name: "", trace: 0, series: series, gap: nil)])
    }

    @Test("A signal that rotates constantly fills the axis with a bounded number of strokes")
    func spinning() {
        let values = (0..<200_000).map { index in Double(index * 100 % 360) - 180 }
        let series = Self.series(values, .angle).decimated(to: 656, over: 2000)
        #expect(series.cells.count <= 657)
        let strokes = Self.chart(series, .angle).drawings(columns: 656, over: 2000, hasSeveralTraces: false)[0].strokes
        #expect(strokes.count < 656 * 9)
        // A cell of more than one turn is drawn as a line from edge to edge.
        #expect(strokes.contains { $0.entry?.value == -180 && $0.exit?.value == 180 })
    }

    @Test("A line that crosses the edge of the circle continues at the opposite edge")
    func crossing() {
        // The bearings cover the full circle, so the axis has no free direction to start at.
        let values = stride(from: 0.0, through: 350, by: 10).map { $0 } + [20]
        let chart = Self.chart(Self.series(values, .bearing, step: 3), .bearing)
        let strokes = chart.drawings(columns: 100, over: 108, hasSeveralTraces: false)[0].strokes
        // The last step is 30° in 3 s, from 350° to 20°. The line reaches north after 1 s.
        #expect(strokes.count == 2)
        #expect(strokes[0].exit == PlotPoint(time: 106, value: 360))
        #expect(strokes[1].entry == PlotPoint(time: 106, value: 0))
        #expect(strokes[1].points.map(\.value) == [20])
    }

    @Test("The axis of a compass that swings about north has north in its center")
    func north() {
        let chart = Self.chart(Self.series([350, 10, 340, 20, 355], .bearing), .bearing)
        #expect(!chart.window.isFullCircle)
        #expect(chart.window.domain.lowerBound > -30 && chart.window.domain.upperBound < 30)
        #expect(chart.window.position(of: 350) == -10 && chart.window.position(of: 10) == 10)
        #expect(chart.ticks(chart.window, height: 100).labels == ["340", "350", "0", "10", "20"])
        let drawing = chart.drawings(columns: 100, over: 1, hasSeveralTraces: false)[0]
        #expect(drawing.strokes.map { $0.points.map(\.value) } == [[350, 10, 340, 20, 355]])
        // An angle that swings about 180°.
        let back = Self.chart(Self.series([175, -175, 178], .angle), .angle)
        #expect(!back.window.isFullCircle)
        #expect(back.window.domain.upperBound - back.window.domain.lowerBound < 15)
        #expect(Set(back.ticks(back.window, height: 60).labels).isSuperset(of: ["180"]))
    }

    @Test("A pause of more than three median intervals breaks the line")
    func gaps() {
        var series = SeriesDecimator()
        var counter = IntervalCounter()
        for time in [0.0, 1, 2, 3, 6, 7, 8, 12, 13] {
            series.add(PlotPoint(time: time, value: 1))
            counter.add(time)
        }
        let chart = TimeChart(
            name: "", title: "", unit: "", quantity: .plain,
            lines: [TimeLine(name: "", trace: 0, series: series, gap: counter.gap)])
        let drawing = chart.drawings(columns: 100, over: 13, hasSeveralTraces: false)[0]
        // A pause of exactly three intervals does not break the line.
        #expect(drawing.strokes.map { $0.points.map(\.time) } == [[0, 1, 2, 3, 6, 7, 8], [12, 13]])
        #expect(drawing.gaps == [8...12])
    }
}

@Suite("Sampling intervals")
struct IntervalTests {
    private static func counter(_ times: [Double]) -> IntervalCounter {
        var counter = IntervalCounter()
        for time in times { counter.add(time) }
        return counter
    }

    @Test("The counter counts every interval, including zero and negative ones")
    func counts() {
        let counter = Self.counter([0, 0.01, 0.02, 0.0305, 0.04, 0.04, 0.03])
        #expect(counter.count == 6 && counter.readings == 7)
        let intervals = counter.sorted
        #expect(intervals.map(\.interval) == [-0.01, 0, 0.0095, 0.01, 0.0105])
        #expect(intervals.map(\.count) == [1, 1, 1, 2, 1])
        #expect(counter.median == 0.01)
    }

    @Test("The bars of a histogram match a manual count")
    func histogram() {
        // Ten intervals of 100 ms, three of 110 ms, one of 200 ms and one of 5 s. The last is counted but not drawn.
        var times = [0.0]
        for interval in Array(repeating: 0.1, count: 10) + [0.11, 0.11, 0.11, 0.2, 5] {
            times.append((times.last ?? 0) + interval)
        }
        let counter = Self.counter(times)
        let bars = IntervalHistogram(counter, axis: IntervalHistogram.axis(for: [counter])!)
        // The range of 0.1 s to 0.2 s plus 5 % on each side is 0.11 s. At most 48 bars give a width of 0.005 s,
        // starting at 0.095 s.
        #expect(bars.width == 0.005)
        #expect(abs(bars.start - 0.095) < 1e-12)
        #expect(bars.counts.reduce(0, +) == 14)
        #expect(bars.counts[1] == 10)
        #expect(bars.counts[3] == 3)
        #expect(bars.counts[21] == 1)
        #expect(bars.countAbove == 1 && bars.countBelow == 0)
    }

    @Test("Equal intervals form one bar with empty bars around it")
    func alike() {
        let counter = Self.counter((0..<1000).map { Double($0) * 0.02 })
        let bars = IntervalHistogram(counter, axis: IntervalHistogram.axis(for: [counter])!)
        #expect(bars.counts.max() == 999)
        #expect(bars.counts.count > 10)
        #expect(IntervalHistogram.axis(for: [Self.counter([1])]) == nil)
        #expect(IntervalHistogram.axis(for: [Self.counter([1, 1, 1])]) == nil)
    }

    @Test("Memory stays bounded if all intervals differ")
    func bounded() {
        var counter = IntervalCounter()
        var time = 0.0
        for index in 0..<300_000 {
            time += 0.001 + Double(index) * 1e-6
            counter.add(time)
        }
        #expect(counter.sorted.count <= IntervalCounter.limit)
        #expect(counter.count == 299_999)
        #expect(counter.sorted.reduce(0) { $0 + $1.count } == 299_999)
    }
}
