// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import GPSDProtocol

/// Reads one line of gpsd's: this package's decoder or libgps.
protocol ReportDecoder {
    /// What the line says. Never fails: a line that makes no sense is `.malformed`.
    mutating func decode(_ line: UnsafeRawBufferPointer) -> GPSDReport
}

extension GPSDDecoder: ReportDecoder {}
