// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol

/// Reads one line of gpsd's: this package's decoder or libgps.
protocol ReportDecoder {
    /// What the line says. A position report is read into the argument, and the answer is nil. Never fails: a line that
    /// makes no sense is `.malformed`.
    mutating func decode(_ line: UnsafeRawBufferPointer, position: inout PositionReport) -> GPSDReport?
}

extension GPSDDecoder: ReportDecoder {}
