// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import ExternalAccessory

// Talks to accessories of one protocol and says in lines of JSON what happens:
//
//     TestProgramSessionController com.example.scale [--manual] [--pattern] [--greeting TEXT]
//
// It opens a session with the first accessory that offers the protocol, and with the next one when that is gone, unless
// it is to wait for the command "open". Commands come in lines: open, close, write TEXT, list, pause, resume, quit.
// With --pattern what comes in is compared with the pattern that simulated accessories send, and only counted.

let arguments = Array(CommandLine.arguments.dropFirst())
guard let protocolName = arguments.first else { exit(2) }
let program = Program(
    protocolName: protocolName, isManual: arguments.contains("--manual"), isPattern: arguments.contains("--pattern"),
    greeting: arguments.firstIndex(of: "--greeting").map { arguments[$0 + 1] })
Thread.detachNewThread {
    while let line = readLine() {
        DispatchQueue.main.async { program.obey(line) }
    }
    DispatchQueue.main.async { exit(0) }
}
RunLoop.main.run()
