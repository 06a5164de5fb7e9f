// SPDX-License-Identifier: Apache-2.0

/// A listener of `watch` and `replay`: subscribes to a stream and passes its callbacks to an outlet. Used on the main
/// thread.
protocol StreamListener: AnyObject {
    var outlet: ReadingOutlet { get }
    @MainActor func start() async
    @MainActor func end() async
}

/// Prints the callbacks of a listener up to a limit, and then requests a stop.
final class ReadingOutlet {
    private let printer: any ReadingPrinter
    private let stop: StopRequest
    /// The number of readings that remain until the limit; nil without a limit.
    private var remaining: Int?
    private(set) var count = 0

    init(_ printer: any ReadingPrinter, stop: StopRequest, limit: Int? = nil) {
        (self.printer, self.stop) = (printer, stop)
        remaining = limit
    }

    var isComplete: Bool { remaining.map { $0 == 0 } ?? true }

    /// Counts readings that have arrived. Returns how many of them to print; 0 after a stop request.
    func count(_ number: Int) -> Int {
        guard stop.reason == nil else { return 0 }
        let taken = min(number, remaining ?? number)
        count += taken
        if let rest = remaining {
            remaining = rest - taken
            if remaining == 0 { stop.request(.complete) }
        }
        return taken
    }

    func print(_ reading: some Reading) { if count(1) > 0 { printer.print(reading) } }

    /// Prints readings that ``take(_:)`` has already counted.
    func print(counted reading: some Reading) { printer.print(reading) }

    /// Prints a callback that does not count as a reading, unless a stop has been requested.
    func printUncounted(_ news: some Reading) { if stop.reason == nil { printer.print(news) } }

    func stopUnauthorized() { stop.request(.denied) }
}
