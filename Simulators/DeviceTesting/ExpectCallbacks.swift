// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation
public import SimulatedDevice
import Testing

/// Compares a test's callbacks with those in a file. The first difference is an issue of the test.
///
/// ```swift
/// try expectCallbacks(callbacks, matching: "drive.expected")
/// ```
///
/// To record the file, run the test with the environment variable `DEVICE_TESTING_RECORD` set to 1. The file is written
/// relative to the directory of the source file, and the test passes. If the list has no tolerances, those of an
/// existing file are kept. Check the file into version control.
///
/// - Parameters:
///   - callbacks: The callbacks, in order.
///   - file: The name of the file, which is searched like a recording.
///   - bundle: The only bundle in which to search for the file.
///   - fileID: The module and the name of the caller's source file.
///   - filePath: The path of the caller's source file.
///   - line: The line of the issue.
///   - column: The column of the issue.
/// - Throws: A `DeviceError` if the file cannot be found, read or written. Outside of Swift Testing, for example in
///   XCTest, the `CallbackDifference` is thrown.
public func expectCallbacks(
    _ callbacks: CallbackList, matching file: String, bundle: Bundle? = nil, fileID: String = #fileID,
    filePath: String = #filePath, line: Int = #line, column: Int = #column
) throws {
    let isRecording = !["", "0"].contains(ProcessInfo.processInfo.environment[recordVariable] ?? "")
    try expectCallbacks(
        callbacks, in: TestFile(name: file, bundle: bundle, fileID: fileID, filePath: filePath),
        isRecording: isRecording, line: line, column: column)
}

private let recordVariable = "DEVICE_TESTING_RECORD"

package func expectCallbacks(
    _ callbacks: CallbackList, in file: TestFile, isRecording: Bool, line: Int, column: Int
) throws {
    if isRecording { return try record(callbacks, in: file) }
    let path: String
    do throws(DeviceError) {
        path = try file.find()
    } catch {
        throw DeviceError(error.code, "\(error.message) If it was never recorded, run: \(recordVariable)=1 swift test")
    }
    guard let difference = try callbacks.difference(from: ExpectedCallbacks(path: path)) else { return }
    guard Test.current != nil else { throw difference }
    Issue.record(
        Comment(rawValue: "\(difference)"),
        sourceLocation: SourceLocation(fileID: file.fileID, filePath: file.filePath, line: line, column: column))
}

private func record(_ callbacks: CallbackList, in file: TestFile) throws(DeviceError) {
    let path = file.name.hasPrefix("/") ? file.name : file.sourceFolder + "/" + file.name
    var callbacks = callbacks
    if callbacks.tolerances.isEmpty, let former = try? ExpectedCallbacks(path: path) {
        callbacks.tolerances = former.tolerances
    }
    try callbacks.write(to: path)
    FileHandle.standardError.write(Data("Recorded \(callbacks.count) callbacks in \(path).\n".utf8))
}

/// Thrown by ``expectCallbacks(_:matching:bundle:fileID:filePath:line:column:)`` outside of Swift Testing.
extension CallbackDifference: Error {}
