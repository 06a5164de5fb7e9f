// SPDX-License-Identifier: Apache-2.0

/// Mutates a script of several clients: steps, their clients and their data. Also splits data as a network does.
let mutateScript: Mutator = { bytes, dice, limit in
    var script = ClientScript(bytes)
    guard let place = script.steps.indices.randomElement(using: &dice), !dice.isOne(in: 6) else {
        return mutateRaw(&bytes, limit: limit)
    }
    var step = script.steps[place]
    switch dice.below(9) {
    case 0, 1: mutateList(&script.steps, &dice)
    case 2:
        step.client = dice.below(ClientScript.maximumClients)
        script.steps[place] = step
    case 3:
        step.action = ClientScript.Action(rawValue: dice.below(8)) ?? .wait
        script.steps[place] = step
    case 4:
        // Splits the data in two parts, with another client's data in between.
        let cut = dice.below(step.bytes.count + 1)
        var rest = step
        rest.bytes = Array(step.bytes[cut...])
        script.steps[place].bytes = Array(step.bytes[..<cut])
        script.steps.insert(rest, at: place + 1)
        if let other = dice.pick(script.steps) { script.steps.insert(other, at: place + 1) }
    case 5:
        if let other = dice.pick(script.steps) {
            script.steps[place].bytes = Array(step.bytes + other.bytes)
        }
    case 6:
        step.bytes = Array("\([0, 1, 9, 11, 30, 101, 600, 9001][dice.below(8)])".utf8)
        step.action = .wait
        script.steps.insert(step, at: place)
    case 7: mutateRaw(&script.options, limit: script.options.count + 1)
    default: mutateRaw(&script.steps[place].bytes, limit: step.bytes.count + 32)
    }
    bytes = script.bytes
}
