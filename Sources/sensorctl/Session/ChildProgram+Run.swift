// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore

extension ChildProgram {
    /// Runs a program until it ends, or is asked to because the verb is; throws its exit code where that is not 0.
    static func run(_ program: [String], environment: [String: String], stop: Stop) async throws {
        let child: ChildProgram
        do throws(DeviceError) {
            child = try ChildProgram(program, environment: environment)
        } catch {
            Notes.fail(error.description)
            throw ExitCode(127)
        }
        stop.whenRequested { child.terminate() }
        let status = await child.waitForEnd()
        // Ended by us because the time was up: that is what was asked for.
        if stop.reason == nil, status != 0 { throw ExitCode(status) }
    }
}
