// SPDX-License-Identifier: Apache-2.0

import Trace
import TraceEditing

extension TraceFile {
    /// Returns sentences about the lines that playback could not read.
    /// Playback stores only the first ``TraceCursor/maximumWarnings``; if that number is reached, the whole trace is
    /// read to count all warnings.
    func remarks(on warnings: [TraceWarning]) -> [String] {
        let diagnostics =
            warnings.count < TraceCursor.maximumWarnings
            ? InputDiagnostics(warnings) : ReportDiagnostics(self).lineWarnings
        return diagnostics.remarks.map { "\(name): \($0)" }
    }
}
