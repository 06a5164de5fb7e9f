// SPDX-License-Identifier: Apache-2.0

/// What the receivers of traces are called in the merged one, so that two that report at one time are never taken for one.
///
/// Two parts of one drive, of which the second begins when the first has ended, have one receiver and keep it.
struct MergedReceivers {
    /// For each trace the receivers that are called otherwise now.
    private(set) var names: [[String: String]]
    private(set) var remarks: [String] = []
    private var taken: [String: [MergeSurvey.Span]] = [:]

    /// - Parameters:
    ///   - surveys: Of all traces.
    ///   - files: What to call them in remarks.
    init(_ surveys: [MergeSurvey], files: [String]) {
        names = surveys.map { _ in [:] }
        for (index, survey) in surveys.enumerated() {
            if survey.hasMore, surveys.count(where: { !$0.receivers.isEmpty }) > 1 {
                remarks.append(
                    "\(files[index]) has more than \(MergeSurvey.maximumReceivers) receivers. Those that first report after them keep their names, also where another trace has the same."
                )
            }
            // Those with names first, since one without may belong to them.
            for (path, span) in survey.receivers.sorted(by: { $0.key > $1.key }) {
                let name =
                    path.isEmpty
                    ? name(ofNameless: span, in: index, surveys) : free(path, span, number: index + 1)
                taken[name, default: []].append(span)
                guard name != path else { continue }
                names[index][path] = name
                remarks.append(
                    path.isEmpty
                        ? "The receiver of \(files[index]), which has no name there, is called \(name) here."
                        : "The receiver \(path) of \(files[index]) is called \(name) here, where \(path) is another.")
            }
        }
    }

    /// Reports without a receiver's name would be taken for any: they get one where another trace has reports of that time.
    private func name(ofNameless span: MergeSurvey.Span, in index: Int, _ surveys: [MergeSurvey]) -> String {
        let isAlone = surveys.enumerated().allSatisfy { other, survey in
            other == index || !survey.receivers.values.contains { $0.overlaps(span) }
        }
        if isAlone { return "" }
        let others = surveys[index].receivers.keys.filter { !$0.isEmpty }
        if others.count == 1, let other = others.first { return names[index][other] ?? other }
        return free("receiver-\(index + 1)", span, number: index + 1)
    }

    /// The name, or one like it, that no receiver has at that time.
    private func free(_ path: String, _ span: MergeSurvey.Span, number: Int) -> String {
        var name = path
        while taken[name]?.contains(where: { $0.overlaps(span) }) == true { name += "-\(number)" }
        return name
    }
}
