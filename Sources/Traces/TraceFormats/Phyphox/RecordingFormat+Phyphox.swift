// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls

extension RecordingFormat {
    /// What the app phyphox exported as CSV: a table, or a folder of them. It is read and not written.
    public static let phyphox = RecordingFormat(
        name: "phyphox", title: "CSV of phyphox", sniff: sniff,
        read: { (input, _) throws(DeviceError) in
            if input.folder != nil { return .recording(try Recording(phyphoxFolder: input.name)) }
            // What the folder that the table lies in says of the experiment counts too.
            return .recording(
                try Recording(phyphoxTable: try input.bytes(), path: input.name) { (file) throws(DeviceError) in
                    try input.neighbour(file)
                })
        })

    /// So many files of a folder are looked at.
    private static let maximumFiles = 32
    /// So many bytes hold the header of a table.
    private static let headerSize = 1 << 16

    private static func sniff(_ input: RecordingInput) throws(DeviceError) -> Likeness? {
        guard let names = input.folder else {
            return PhyphoxColumns(input.columns, sheet: input.name.lowercased()) == nil ? nil : .likely
        }
        // Surer than Sensor Logger, which has tables of the same names.
        for name in names.filter({ $0.lowercased().hasSuffix(".csv") }).prefix(maximumFiles) {
            let path = "\(input.name)/\(name)"
            // What is no file would be waited for, perhaps for ever.
            guard FileBytes.isFile(path) else { continue }
            let prefix = try FileChunks.open(path).prefix(headerSize)
            let header = prefix.withUnsafeBytes { Recording.csvColumns(of: $0) }
            if PhyphoxColumns(header, sheet: name.lowercased()) != nil { return .certain }
        }
        return nil
    }
}
