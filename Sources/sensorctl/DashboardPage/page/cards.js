// SPDX-License-Identifier: Apache-2.0

// The layout of the panels in columns. Each panel is placed below the shortest columns, so that no space remains between panels
// of different heights. The map spans two columns, and the charts as many columns as make the page shortest.

import { byID } from "./dom.js";

/** The minimum width of the window for two, three and four columns, in pixels. */
const breakpoints = [700, 1180, 1700];
const gap = 12;
/** The height of a row of the grid, in pixels. */
const row = 4;
/** The page keeps its arrangement unless another one is shorter by this many pixels, so that panels rarely change columns. */
const gain = 160;

/**
 * Places cards in order. Returns the column and the top of each card, the height of the page, and the unused height above wide
 * cards. A card with a place in `former` keeps its column.
 * @param cards the spans and heights of the cards
 */
export function arrange(cards, columns, former = []) {
    const bottoms = new Array(columns).fill(0);
    let unused = 0;
    const places = cards.map(({ span, height }, index) => {
        const top = (column) => Math.max(...bottoms.slice(column, column + span));
        let column = 0;
        for (let next = 1; next <= columns - span; next += 1) if (top(next) < top(column)) column = next;
        column = former[index]?.column ?? column;
        const place = { column, top: top(column), span };
        for (let next = column; next < column + span; next += 1) unused += place.top - bottoms[next];
        bottoms.fill(place.top + height, column, column + span);
        return place;
    });
    return { places, height: Math.max(0, ...bottoms), unused };
}

export class Cards {
    constructor() {
        this.grid = byID("cards");
        this.key = "";
        this.isScheduled = false;
        const sizes = new ResizeObserver(() => this.schedule());
        const visibility = new MutationObserver(() => this.schedule());
        for (const card of this.grid.children) sizes.observe(card);
        visibility.observe(this.grid, { attributes: true, attributeFilter: ["hidden"], subtree: true });
        sizes.observe(this.grid);
    }

    schedule() {
        if (this.isScheduled) return;
        this.isScheduled = true;
        requestAnimationFrame(() => this.layOut());
    }

    /** Places all visible cards. Called before a frame is drawn. */
    layOut() {
        this.isScheduled = false;
        const columns = 1 + breakpoints.filter((width) => innerWidth >= width).length;
        const cards = [...this.grid.children].filter((card) => card.offsetHeight > 0);
        const charts = byID("strips").querySelectorAll("figure:not([hidden])").length;
        const key = [columns, charts, byID("profile").hidden, ...cards.map((card) => card.id)].join(" ");
        if (key !== this.key) {
            this.key = key;
            this.grid.style.setProperty("--columns", columns);
            this.chooseSpans(cards, columns);
            this.places = [];
        }
        if (columns === 1) return this.set(cards, null);
        const ordered = this.ordered(cards);
        const measured = ordered.map((card) => this.measure(card));
        const best = arrange(measured, columns);
        const kept = this.places.length > 0 ? arrange(measured, columns, this.places) : best;
        this.places = kept.height <= best.height + gain ? kept.places : best.places;
        this.set(ordered, this.places);
    }

    /** Returns the cards with the map first and the charts second, because wide cards below others may leave a space. */
    ordered(cards) {
        const wide = [byID("panel-position"), byID("panel-strips")].filter((card) => cards.includes(card));
        return [...wide, ...cards.filter((card) => !wide.includes(card))];
    }

    measure(card) { return { span: this.spans.get(card), height: Math.ceil((card.offsetHeight + gap) / row) }; }

    /** Selects the spans of the wide cards by trial. */
    chooseSpans(cards, columns) {
        const map = byID("panel-position");
        const charts = byID("panel-strips");
        let best = null;
        for (let span = 1; span <= columns; span += 1) {
            this.spans = new Map(cards.map((card) => [card, card === map ? Math.min(2, columns) : card === charts ? span : 1]));
            for (const card of cards) card.style.gridColumn = `span ${this.spans.get(card)}`;
            const { height, unused } = arrange(this.ordered(cards).map((card) => this.measure(card)), columns);
            const cost = height + 2 * unused;
            if (best === null || cost < best.cost) best = { cost, spans: this.spans };
            if (!cards.includes(charts)) break;
        }
        this.spans = best.spans;
        for (const card of cards) card.style.gridColumn = `span ${this.spans.get(card)}`;
    }

    set(cards, places) {
        cards.forEach((card, index) => {
            const place = places?.[index];
            card.style.gridColumn = place ? `${place.column + 1} / span ${place.span}` : "";
            card.style.gridRow = place ? `${place.top + 1} / span ${this.measure(card).height}` : "";
        });
    }
}
