// SPDX-License-Identifier: Apache-2.0

import BubbleLevel
import CoreMotion

// bubble-level [FILE]    FILE keeps the zero. A line that is typed, with anything in it, calibrates.
let home = FileManager.default.homeDirectoryForCurrentUser.path
let file = URL(fileURLWithPath: CommandLine.arguments.dropFirst().first ?? "\(home)/.bubble-level.json")
let level = BubbleLevel(file: file)
let isTerminal = isatty(STDOUT_FILENO) == 1

level.show = { state in
    // In place in a terminal; line by line into a pipe.
    let text = isTerminal ? "\u{1B}[H\u{1B}[J\(state.drawing)" : state.text
    // Not print and fflush(nil): that would wait for readLine below, which holds standard input.
    FileHandle.standardOutput.write(Data("\(text)\n".utf8))
}
level.report = { FileHandle.standardError.write(Data("bubble-level: \($0)\n".utf8)) }
guard level.start() else {
    level.report("There is no accelerometer here. \"sensorctl doctor\" says what to do.")
    exit(69)
}
DispatchQueue.global().async {
    while readLine() != nil { DispatchQueue.main.async { level.calibrate() } }
}
RunLoop.main.run()
