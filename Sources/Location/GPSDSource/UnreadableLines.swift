// SPDX-License-Identifier: Apache-2.0

import GPSDProtocol
import Synchronization

/// Logs lines from gpsd that cannot be decoded. Lines are counted across all of a source's connections. Only the 1st,
/// 10th, 100th line and so on are logged, so that a faulty server cannot fill the log.
final class UnreadableLines: Sendable {
    /// The maximum number of bytes that a warning quotes from a line.
    private static let excerptLength = 120
    private let warn: @Sendable (String) -> Void
    private let counts = Mutex((lines: 0, nextWarning: 1))

    init(warn: @escaping @Sendable (String) -> Void) { self.warn = warn }

    func record(_ line: UnsafeRawBufferPointer, _ problem: GPSDMalformedReport) {
        record {
            let excerpt = String(decoding: line.prefix(Self.excerptLength), as: UTF8.self)
            return "\(problem): \(excerpt.debugDescription)\(line.count > Self.excerptLength ? "…" : "")"
        }
    }

    /// Records lines that exceed `LineFramer`'s limit.
    func record(overlongLines: Int) { for _ in 0..<overlongLines { record { "The line is longer than 1 MiB." } } }

    private func record(_ describe: () -> String) {
        let count = counts.withLock { counts -> Int? in
            counts.lines += 1
            guard counts.lines == counts.nextWarning else { return nil }
            counts.nextWarning = counts.lines.multipliedReportingOverflow(by: 10).partialValue
            return counts.lines
        }
        guard let count else { return }
        warn(
            count == 1
                ? "sent a line that cannot be read and is skipped. \(describe())"
                : "has sent \(count) lines that cannot be read and are skipped. The latest: \(describe())")
    }
}
