// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import BlackBox
public import SyntheticMotion
public import TraceEditing
public import TraceFormats

// Values of other modules that options accept by their names.

extension GPXOptions.Content: ExpressibleByArgument {}
extension MotionCSVLayout: ExpressibleByArgument {}
extension MotionOptions.LeanMode: ExpressibleByArgument {}
extension RingSyncPolicy: ExpressibleByArgument {}
extension SensorLoggerOptions.Platform: ExpressibleByArgument {}
extension TraceMerger.Alignment: ExpressibleByArgument {}

extension RecordingFormat: ExpressibleByArgument {
    /// Finds the writable format with the given name.
    public init?(argument: String) { self.init(name: argument) }

    /// The names of the writable formats.
    public static var allValueStrings: [String] { writableFormats.map(\.name) }
}
