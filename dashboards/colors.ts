/** Green: fine. Yellow: worth a look. Orange: act today. Red: act now. Dark red: too late. Blue is neutral. */
export type Color =
  | "green"
  | "yellow"
  | "orange"
  | "red"
  | "dark-red"
  | "blue"
  | "purple"
  | "text"
  | "transparent";

/** Grafana's green and orange, a shade that can be read on white and on black. */
const LEGIBLE: Readonly<Record<string, string>> = { green: "semi-dark-green", orange: "dark-orange" };

/** The colour of a text or a bar; other colours stay. */
export function legible(color: string): string {
  return LEGIBLE[color] ?? color;
}

/**
 * The same for a cell's background. Grafana's text on them has a contrast of at least 4.5, with dark and
 * light colours.
 */
export const BACKGROUNDS: Readonly<Record<Color, string>> = {
  green: "#2f7d32",
  yellow: "yellow",
  orange: "#ffa64d",
  red: "#b3202d",
  "dark-red": "#7a1019",
  blue: "dark-blue",
  purple: "dark-purple",
  text: "transparent",
  transparent: "transparent",
};
