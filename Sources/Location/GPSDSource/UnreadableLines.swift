// SPDX-License-Identifier: Apache-2.0

import GPSDProtocol

/// The lines of one connection that cannot be decoded. Makes a remark about the 1st, 10th, 100th of these lines and so
/// on, so that a server that sends only such lines cannot fill a log.
struct UnreadableLines {
    /// The maximum number of bytes that a remark quotes.
    private static let excerptLength = 120
    private var count = 0
    private var overlongCount = 0
    private var nextRemark = 1
    private var remark: String?

    mutating func record(_ line: UnsafeRawBufferPointer, _ problem: GPSDMalformedReport) {
        record { () -> String in
            let excerpt = String(decoding: line.prefix(Self.excerptLength), as: UTF8.self)
            return "\(problem): \(excerpt.debugDescription)\(line.count > Self.excerptLength ? "…" : "")"
        }
    }

    /// Records lines that exceed the limit of a `LineFramer`. `overlongLines` is their number since the connection was
    /// opened.
    mutating func record(overlongLines: Int) {
        while overlongCount < overlongLines {
            overlongCount += 1
            record { "The line is longer than 1 MiB." }
        }
    }

    /// Returns the latest remark that has not been returned yet.
    mutating func takeRemark() -> String? { remark.take() }

    private mutating func record(_ describe: () -> String) {
        count += 1
        guard count == nextRemark else { return }
        nextRemark = count.multipliedReportingOverflow(by: 10).partialValue
        remark =
            count == 1
            ? "a line that cannot be read and is skipped. \(describe())"
            : "\(count) lines on this connection that cannot be read and are skipped. The latest: \(describe())"
    }
}
