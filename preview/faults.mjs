/** What makes the page hard to use, as computed in the browser: pale texts, missing landmarks, a page wider than the window. */
export function faultsOf() {
  const missing = ["header", "main", "h1"]
    .filter((name) => document.querySelectorAll(name).length !== 1)
    .map((name) => `the page must have exactly one ${name}`);
  const wide = document.documentElement.scrollWidth > innerWidth ? ["the page is wider than the window"] : [];
  return [...new Set([...paleTexts(), ...missing, ...wide])];
}

function paleTexts() {
  return [...document.querySelectorAll("body *")]
    .filter((element) => hasText(element) && isSeen(element))
    .map((element) => ({
      text: element.textContent.trim(),
      contrast: contrastOf(element),
      needed: isLarge(element) ? 3 : 4.5,
    }))
    .filter(({ contrast, needed }) => contrast < needed)
    .map(
      ({ text, contrast, needed }) =>
        `"${text}" has a contrast of ${contrast.toFixed(2)}, less than ${needed}`,
    );
}

function hasText(element) {
  return [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== "");
}

function isSeen(element) {
  return element.getClientRects().length > 0 && element.closest("svg, option") === null;
}

function isLarge(element) {
  const { fontSize, fontWeight } = getComputedStyle(element);
  const size = Number.parseFloat(fontSize);
  return size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700);
}

function contrastOf(element) {
  const below = backgroundOf(element);
  const text = over(parsed(getComputedStyle(element).color), below);
  const [high, low] = [luminance(text), luminance(below)].toSorted((one, other) => other - one);
  return (high + 0.05) / (low + 0.05);
}

function backgroundOf(element) {
  if (element === null) return [255, 255, 255];
  const color = parsed(getComputedStyle(element).backgroundColor);
  return color.alpha === 1 ? color.rgb : over(color, backgroundOf(element.parentElement));
}

function parsed(color) {
  const [red = 0, green = 0, blue = 0, alpha = 1] = (color.match(/[\d.]+/g) ?? []).map(Number);
  return { rgb: [red, green, blue], alpha };
}

function over({ rgb, alpha }, below) {
  return rgb.map((part, index) => alpha * part + (1 - alpha) * below[index]);
}

/** Relative luminance of a colour, as WCAG 2 defines it. */
function luminance(rgb) {
  const [red, green, blue] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
