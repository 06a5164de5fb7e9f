// SPDX-License-Identifier: Apache-2.0

import BubbleLevel
import CoreMotion

// bubble-level [FILE]    FILE stores the zeros. Any line of input calibrates the level.
let home = FileManager.default.homeDirectoryForCurrentUser.path
let file = URL(fileURLWithPath: CommandLine.arguments.dropFirst().first ?? "\(home)/.bubble-level.json")
let level = BubbleLevel(file: file)
let isTerminal = isatty(STDOUT_FILENO) == 1

level.show = { state in
    // Overwrites the screen of a terminal, but writes line by line to a pipe.
    let text = isTerminal ? "\u{1B}[H\u{1B}[J\(state.drawing)" : state.text
    // Does not use print and fflush(nil), which would wait for the lock that readLine holds on standard input.
    FileHandle.standardOutput.write(Data("\(text)\n".utf8))
}
level.report = { FileHandle.standardError.write(Data("bubble-level: \($0)\n".utf8)) }
guard level.start() else {
    level.report("No accelerometer was found. Run \"sensorctl doctor\" for details.")
    exit(69)
}
DispatchQueue.global().async {
    while readLine() != nil { DispatchQueue.main.async { level.calibrate() } }
}
RunLoop.main.run()
