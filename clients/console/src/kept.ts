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

/**
 * Hears what other tabs of this browser keep under a name.
 *
 * @param heard told the value; null: it was forgotten
 * @returns ends it
 */
export function hearKept(name: string, heard: (value: string | null) => void): () => void {
  const hear = ({ key, newValue }: StorageEvent) => {
    if (key === name) heard(newValue);
  };
  addEventListener('storage', hear);
  return () => removeEventListener('storage', hear);
}

/** Forgets every value whose name begins so. */
export function forgetAll(beginning: string, place: Place): void {
  for (const name of memory.keys()) if (name.startsWith(beginning)) memory.delete(name);
  try {
    const store = storeOf(place);
    for (const name of Object.keys(store)) if (name.startsWith(beginning)) store.removeItem(name);
  } catch {
    // A store that is closed to the page has kept nothing.
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
