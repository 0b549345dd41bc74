/** Names as the wire spells them, from TypeScript’s: `threadId` is `thread_id`. */
export const toWireName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Names as TypeScript spells them, from the wire’s: `thread_id` is `threadId`. */
export const fromWireName = (name: string): string =>
  name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());

/**
 * Spells the members of a value anew, however deep they are.
 *
 * @param free paths of what is a tenant’s own JSON and passed as it is, in names of the wire; lists take no part in a path
 */
export function respell(value: unknown, spell: (name: string) => string, free: readonly string[] = []): unknown {
  const walk = (one: unknown, path: string): unknown => {
    if (Array.isArray(one)) return one.map((member) => walk(member, path));
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(
      Object.entries(one).map(([name, member]) => {
        const spelt = spell(name);
        // The wire’s name is the longer one of the two.
        const at = `${path}${spelt.length > name.length ? spelt : name}`;
        return [spelt, free.includes(at) ? member : walk(member, `${at}.`)];
      }),
    );
  };
  return walk(value, '');
}
