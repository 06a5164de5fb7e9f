// SPDX-License-Identifier: Apache-2.0

import Trace
import TraceEditing

extension TraceFile {
    /// Sentences about the lines that playback could not read.
    ///
    /// - Parameter warnings: The warnings of the playback, which keeps the first ``TraceCursor/maximumWarnings``. If there
    ///   are as many, the whole trace is read to count them all.
    func remarks(on warnings: [TraceWarning]) -> [String] {
        let diagnostics =
            warnings.count < TraceCursor.maximumWarnings
            ? InputDiagnostics(warnings) : ReportDamage(self).lineWarnings
        return diagnostics.remarks.map { "\(name): \($0)" }
    }
}
