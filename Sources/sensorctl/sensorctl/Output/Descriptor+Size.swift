// SPDX-License-Identifier: Apache-2.0

import SystemCalls

extension Descriptor {
    /// The size of the terminal in characters, or nil if the descriptor is not a terminal or its size is unknown.
    var terminalSize: (columns: Int, rows: Int)? {
        var window = winsize()
        guard ioctl(number, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else { return nil }
        return (Int(window.ws_col), Int(window.ws_row))
    }
}
