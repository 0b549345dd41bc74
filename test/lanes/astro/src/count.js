let counted = 0;

/** Counts by one, and says so in the title. */
export function count() {
  counted += 1;
  document.title = `Field notes (${counted})`;
}
