// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls

extension RecordingFormat {
    /// A CSV export from the phyphox app: a table or a folder of tables. This format can be read but not written.
    package static let phyphox = RecordingFormat(
        name: "phyphox", title: "phyphox CSV", detect: sniff,
        read: { (input, _) throws(DeviceError) in
            if input.folder != nil { return .recording(try Recording(phyphoxFolder: input.name)) }
            // A single table may have a `meta` folder beside it.
            return .recording(
                try Recording(phyphoxTable: try input.bytes(), path: input.name) { (file) throws(DeviceError) in
                    try input.readSibling(named: file)
                })
        })

    private static let maximumFiles = 32
    /// The number of bytes searched for the header of a table.
    private static let headerSize = 1 << 16

    private static func sniff(_ input: RecordingInput) throws(DeviceError) -> DetectionConfidence? {
        guard let names = input.folder else {
            return PhyphoxColumns(input.columns, sheet: input.name.lowercased()) == nil ? nil : .likely
        }
        // The column names are checked, because Sensor Logger uses the same file names as phyphox.
        for name in names.filter({ $0.lowercased().hasSuffix(".csv") }).prefix(maximumFiles) {
            let path = "\(input.name)/\(name)"
            // Opening a special file, such as a FIFO, could block indefinitely.
            guard FileIO.isRegularFile(path) else { continue }
            let prefix = try FileContents.open(path).prefix(headerSize)
            let header = prefix.withUnsafeBytes { Recording.csvColumns(of: $0) }
            if PhyphoxColumns(header, sheet: name.lowercased()) != nil { return .certain }
        }
        return nil
    }
}
