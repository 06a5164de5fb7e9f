// SPDX-License-Identifier: Apache-2.0

/// What `watch` and `replay` listen with: starts updates of one stream and hands each to an outlet. Used on the main
/// thread.
protocol StreamListener: AnyObject {
    var outlet: ReadingOutlet { get }
    @MainActor func start() async
    @MainActor func end() async
}

/// Prints what a listener hands over, as much as is wanted, and asks the verb to stop when that has come.
final class ReadingOutlet {
    private let printer: any ReadingPrinter
    private let stop: Stop
    /// How many more are wanted; nil for all.
    private var remaining: Int?
    /// How many were printed.
    private(set) var count = 0

    init(_ printer: any ReadingPrinter, stop: Stop, limit: Int? = nil) {
        self.printer = printer
        self.stop = stop
        remaining = limit
    }

    var isComplete: Bool { remaining.map { $0 == 0 } ?? true }

    /// How many of those that have come are to be printed: none once the verb is to end.
    func take(_ number: Int) -> Int {
        guard stop.reason == nil else { return 0 }
        let taken = min(number, remaining ?? number)
        count += taken
        if let rest = remaining {
            remaining = rest - taken
            if remaining == 0 { stop.request(.complete) }
        }
        return taken
    }

    func print(_ reading: some Reading) { if take(1) > 0 { printer.print(reading) } }

    /// Prints those that ``take(_:)`` has counted.
    func print(counted reading: some Reading) { printer.print(reading) }

    /// Prints what is told beside the readings, unless the verb is to end.
    func tell(_ news: some Reading) { if stop.reason == nil { printer.print(news) } }

    /// Ends the verb, which may not listen.
    func deny() { stop.request(.denied) }
}
