// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Trace
import TraceEditing

extension TraceExport {
    /// Writes a native trace of any trace.
    ///
    /// - Parameters:
    ///   - path: The file; "-" is standard output.
    ///   - overwrite: Whether a file of that name may be replaced.
    public static func writeTrace(
        _ trace: TraceFile, to path: String, overwrite: Bool = false
    ) throws(DeviceError) -> [String] {
        let writer = try TraceWriter(whole: path, overwrite: overwrite)
        let warnings = try TraceEditor.write(trace, to: writer)
        try writer.close()
        return warnings.map(\.description)
    }
}
