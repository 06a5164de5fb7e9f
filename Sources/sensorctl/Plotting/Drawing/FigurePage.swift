// SPDX-License-Identifier: Apache-2.0

/// Sizes of a figure: an A4 page with a margin of a centimetre, in pixels of which an inch has 96.
enum FigurePage {
    static let width = 718.0
    static let height = 1047.0
    /// How small charts may become so that all goes onto one page.
    static let least = 0.62
    static let right = 14.0
}
