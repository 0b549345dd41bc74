/** For browsers that keep nothing for a page, or no more than they have: it is then forgotten with the page. */
const memory = new Map<string, string>();

type Place = 'local' | 'session';
const storeOf = (place: Place) => (place === 'local' ? localStorage : sessionStorage);

/** What this browser, or this tab alone, keeps under a name; null for nothing. */
export function recall(name: string, place: Place = 'local'): string | null {
  const known = memory.get(name);
  if (known !== undefined) return known;
  try {
    return storeOf(place).getItem(name);
  } catch {
    return null;
  }
}

/** Keeps a value under a name. @param value null: forgets what was kept */
export function keep(name: string, value: string | null, place: Place = 'local'): void {
  memory.delete(name);
  try {
    if (value === null) storeOf(place).removeItem(name);
    else storeOf(place).setItem(name, value);
  } catch {
    if (value !== null) memory.set(name, value);
  }
}
