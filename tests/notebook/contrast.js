// Return every piece of text below an element with its contrast, as WCAG 2.1 defines it, from the colours as rendered.
function contrasts(root) {
  const parsed = text => {
    const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number);
    return { rgb: [r, g, b], a };
  };
  const over = (upper, a, lower) => upper.map((value, n) => a * value + (1 - a) * lower[n]);
  const luminance = rgb => {
    const [r, g, b] = rgb.map(v => v / 255).map(v => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = element => {
    if (element === null) return [255, 255, 255];
    const { rgb, a } = parsed(getComputedStyle(element).backgroundColor);
    return a === 1 ? rgb : over(rgb, a, ground(element.parentElement));
  };
  const found = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim(), element = walker.currentNode.parentElement;
    if (!text || ["STYLE", "SCRIPT"].includes(element.tagName)) continue;
    const back = ground(element), { rgb, a } = parsed(getComputedStyle(element).color);
    const [high, low] = [luminance(over(rgb, a, back)), luminance(back)].sort((x, y) => y - x);
    found.push({ text: text.slice(0, 40), ratio: (high + 0.05) / (low + 0.05), of: element.className });
  }
  return found;
}
