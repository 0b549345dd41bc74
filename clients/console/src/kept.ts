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

/** Names that start with `beginning` and have a value. */
export function keptNames(beginning: string, place: Place = 'local'): string[] {
  const names = new Set(memory.keys());
  try {
    for (const name of Object.keys(storeOf(place))) names.add(name);
  } catch {
    // A storage that the page may not access holds no value.
  }
  return [...names].filter((name) => name.startsWith(beginning));
}

/**
 * Listens for values that other tabs of this browser store under names that start with `beginning`.
 *
 * @param heard receives the rest of the name and the value; null: it was removed
 * @returns a function that stops listening
 */
export function hearAllKept(beginning: string, heard: (rest: string, value: string | null) => void): () => void {
  const hear = ({ key, newValue }: StorageEvent) => {
    if (key?.startsWith(beginning)) heard(key.slice(beginning.length), newValue);
  };
  addEventListener('storage', hear);
  return () => removeEventListener('storage', hear);
}

/** Prefix of everything that members wrote. What follows is the id of the member, so that no other one is shown it. */
const ownNames = 'svc.console.draft ';
/** Prefixes under which earlier builds kept such texts, without a member. */
const earlierNames = ['console.typed.', 'sql-draft ', 'sql-history ', 'graphql-document ', 'graphql-variables '];
let owner = '';

/** Says whose texts are kept from now on. @param member the id of the member */
export function keepFor(member: string): void {
  owner = member;
}

/** The name under which a text of the member who is in is kept until they sign out. */
export const ownName = (name: string): string => `${ownNames}${owner} ${name}`;

/** Removes what members wrote in this tab, since one of them has signed out. */
export function forgetTyped(): void {
  for (const names of [ownNames, ...earlierNames]) forgetAll(names, 'session');
}

/** Removes all that the member wrote in this browser, too. Texts of other members remain for them. */
export function forgetOwn(): void {
  forgetTyped();
  for (const names of [`${ownNames}${owner} `, ...earlierNames]) forgetAll(names, 'local');
}

/** Removes every value whose name starts with `beginning`. */
function forgetAll(beginning: string, place: Place): void {
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
