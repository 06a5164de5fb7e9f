// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// Where the program starts.
@main
enum Main {
    static func main() {
        Descriptor.openStandardOnes()
        Notes.bootstrap()
        Termination.ignoreBrokenPipes()
        Task {
            await Sensorctl.main()
            exit(ExitStatus.success.rawValue)
        }
        // Not an async main: on Linux that gives the main thread up, and the main actor then runs on others.
        RunLoop.main.run()
    }
}
