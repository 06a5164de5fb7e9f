// SPDX-License-Identifier: Apache-2.0

import BoardCompass
import CoreLocation

let compass = BoardCompass()
let isTerminal = isatty(STDOUT_FILENO) == 1

compass.show = { bearing in
    // Overwrites the line in a terminal, but writes line by line to a pipe.
    FileHandle.standardOutput.write(Data((isTerminal ? "\r\u{1B}[K\(bearing)" : "\(bearing)\n").utf8))
}
compass.report = { FileHandle.standardError.write(Data("board-compass: \($0)\n".utf8)) }
guard compass.start() else {
    compass.report("No compass was found. Run \"sensorctl doctor\" for details.")
    exit(69)
}
RunLoop.main.run()
