/**
 * Replaces the storage in browsers that deny it to the page or whose quota is used up. It lives as long as the page.
 */
const memory = new Map<string, string>();

type Place = 'local' | 'session';
const storeOf = (place: Place) => (place === 'local' ? localStorage : sessionStorage);

/** Reads what this browser, or only this tab, stores under a name; null if it stores no value. */
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
 * Listens for values that other tabs of this browser store under a name.
 *
 * @param heard receives the value; null: it was removed
 * @returns a function that stops listening
 */
export function hearKept(name: string, heard: (value: string | null) => void): () => void {
  const hear = ({ key, newValue }: StorageEvent) => {
    if (key === name) heard(newValue);
  };
  addEventListener('storage', hear);
  return () => removeEventListener('storage', hear);
}

/** Removes every value whose name starts with `beginning`. */
export function forgetAll(beginning: string, place: Place): void {
  for (const name of memory.keys()) if (name.startsWith(beginning)) memory.delete(name);
  try {
    const store = storeOf(place);
    for (const name of Object.keys(store)) if (name.startsWith(beginning)) store.removeItem(name);
  } catch {
    // A storage that the page may not access holds no value.
  }
}

/** Stores a value under a name. @param value null: removes the value */
export function keep(name: string, value: string | null, place: Place = 'local'): void {
  memory.delete(name);
  try {
    if (value === null) storeOf(place).removeItem(name);
    else storeOf(place).setItem(name, value);
  } catch {
    if (value !== null) memory.set(name, value);
  }
}
